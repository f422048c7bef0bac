import JSON
import RetryClient
import Support
import SystemKit

/// A real daemon, a real retryd-exec, and a directory for what their commands do.
final class Bench {
    let daemon: PrivateDaemon
    let client: RetryClient
    let directory: TemporaryDirectory
    private let options: [String]
    private(set) var exec: RunningProgram

    static let quick = settings()
    /// A second failure is the last.
    static let oneRetry = settings("max-attempts = 2")

    /// Short delays, and leases that need a word every third of a second, so that nobody waits.
    ///
    /// - Parameter policy: a further line of the default policy.
    private static func settings(_ policy: String = "") -> String {
        """
        [policy.default]
        initial = "50ms"
        floor = "20ms"
        max = "200ms"
        visibility = "1s"
        \(policy)
        [command]
        allow-users = ["root"]

        """
    }

    /// - Parameters:
    ///   - options: of retryd-exec, besides its socket.
    ///   - settings: of the daemon.
    init(_ options: [String] = [], settings: String = Bench.quick) throws {
        daemon = try PrivateDaemon.started(settings: settings)
        client = RetryClient(path: daemon.socket)
        // The daemon may be killed and started again at any time.
        client.options.reconnectMs = 10_000
        // Commands of other users write into it too.
        directory = try TemporaryDirectory(mode: 0o777)
        self.options = options
        exec = try Bench.startExec(daemon, options)
    }

    deinit {
        // Commands and their runners outlive retryd-exec and daemon, but not their test.
        for name in (try? Files.list(runtime)) ?? [] where name.hasSuffix(".command") {
            if let process = try? Bench.process(in: "\(runtime)/\(name)") {
                process.signalGroup(.kill)
            }
        }
        for name in (try? Files.list(runtime)) ?? [] where name.hasSuffix(".run") {
            let id = name.prefix { $0 != "." }
            if let id = Int64(id), let runner = try? runner(of: id) { kill(runner) }
        }
    }

    private static func startExec(
        _ daemon: PrivateDaemon, _ options: [String]
    ) throws -> RunningProgram {
        try RunningProgram(
            [BuiltProgram.path("retryd-exec"), "--socket", daemon.socket] + options,
            logPath: "\(daemon.directory.path)/exec.log")
    }

    /// Starts another one after `exec` has ended.
    func startExecAgain() throws {
        precondition(!exec.isRunning, "it runs")
        exec = try Bench.startExec(daemon, options)
    }

    // MARK: Operations

    /// Hands a command over as one that has failed for the moment.
    func submit(
        _ arguments: [String], isIdempotent: Bool? = nil, key: String? = nil,
        _ change: (inout CommandPayload) -> Void = { _ in }
    ) throws -> Int64 {
        var command = CommandPayload(arguments)
        command.workingDirectory = directory.path
        change(&command)
        var operation = OperationDraft(kind: "command")
        operation.payload = .json(command.json)
        operation.isIdempotent = isIdempotent
        operation.key = key
        return try client.submit(operation, failure: Bench.temporary).id
    }

    static let temporary = RawJSON(Array(#"{"process":{"program":"x","exit_code":75}}"#.utf8))

    /// The failure document of the newest attempt.
    func failure(of details: OperationDetails) throws -> Value {
        guard let failure = details.failure else { throw Failure("no failure: \(details)") }
        return try Bench.read(failure.bytes)
    }

    private static func read(_ json: [UInt8]) throws -> Value {
        let parser = JSONParser(lengthMax: max(1_024, json.count), depthMax: 32)
        return Value(try parser.parse(json))
    }

    /// Waits until an operation is in a state.
    ///
    /// - Throws: what it is when it takes longer than 15 seconds.
    @discardableResult
    func wait(for id: Int64, toBe state: String) throws -> OperationDetails {
        try wait(for: id, "to be \(state)") { $0.operation.state == state }
    }

    @discardableResult
    func wait(
        for id: Int64, _ what: String, _ isReached: (OperationDetails) -> Bool
    ) throws -> OperationDetails {
        var details = try client.get(id)
        try wait(for: "operation \(id) \(what)") {
            details = try client.get(id)
            return isReached(details)
        }
        return details
    }

    // MARK: Files

    var runtime: String { "\(daemon.socket).exec" }

    /// A file that a command wrote into its directory; "" if there is none.
    func file(_ name: String) -> String {
        let bytes = (try? Files.readAll("\(directory.path)/\(name)", bytesMax: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits until a command has written something.
    func waitForFile(_ name: String, _ content: String) throws {
        try wait(for: "\(name) with \(content)") { file(name) == content }
    }

    func wait(for what: String, _ isReached: () throws -> Bool) throws {
        let endUsec = Clocks.monotonicUsec() + 15_000_000
        while try !isReached() {
            guard Clocks.monotonicUsec() < endUsec else {
                throw Failure("not in time: \(what)\n\(exec.log)\(daemon.errors)")
            }
            Clocks.sleep(ms: 10)
        }
    }

    /// Waits until nothing is under way any more as far as retryd-exec keeps account.
    func waitForEmptyRuntime() throws {
        try wait(for: "an empty runtime directory") { try Files.list(runtime) == ["lock"] }
    }

    /// The runner of an operation's attempt.
    func runner(of id: Int64) throws -> Int32 {
        let names = try Files.list(runtime)
        guard let name = names.first(where: { $0.hasPrefix("\(id).") && $0.hasSuffix(".run") })
        else { throw Failure("no runner of \(id): \(names)") }
        let state = try Files.readAll("\(runtime)/\(name)", bytesMax: 1 << 20)
        return Int32(try Bench.read(state)["runner_pid"].integer ?? 0)
    }

    private static func process(in path: String) throws -> ProcessIdentity? {
        let text = String(decoding: try Files.readAll(path, bytesMax: 64), as: UTF8.self)
        let numbers = text.split { $0 == " " || $0 == "\n" }
        guard numbers.count == 2, let id = Int32(numbers[0]), let ticks = UInt64(numbers[1])
        else { return nil }
        return ProcessIdentity(process: id, startTicks: ticks)
    }
}

extension Bench {
    /// Ends a process as a crash would.
    func kill(_ process: Int32) {
        guard let pidfd = try? ProcessIdentity.open(process) else { return }
        try? ProcessIdentity.send(.kill, toProcessBehind: pidfd.rawValue)
    }

    /// Hands a command over as another user.
    func submit(
        _ arguments: [String], asUser user: UInt32, group: UInt32, directory: String? = nil
    ) throws -> Int64 {
        let words = arguments.map { Value.string($0) }
        let payload: Value = [
            "argv": .array(words), "cwd": .string(directory ?? self.directory.path),
        ]
        let caller = try ClientProcess(daemon, user: user, group: group)
        let answer = try caller.client.succeed(
            "Submit",
            [
                "operation": ["kind": "command", "payload": payload],
                "failure": ["process": ["program": "x", "exit_code": 75]],
            ])
        guard let id = answer["id"].integer else { throw Failure("no id: \(answer.text)") }
        return id
    }
}
