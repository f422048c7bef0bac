import JSON
import RetryClient
import Support
import SystemKit

/// A real daemon, a real retryd-exec, and a directory for what their commands do.
final class Bench {
    let daemon: PrivateDaemon
    let directory: TemporaryDirectory
    private let options: [String]
    private(set) var exec: RunningProgram

    /// - Parameters:
    ///   - options: of retryd-exec, besides its socket.
    ///   - isOpen: whether other users reach the socket, and may write into `directory`.
    init(
        _ options: [String] = [], configuration: String = PrivateDaemon.quick,
        isOpen: Bool = false
    ) throws {
        daemon = try PrivateDaemon(configuration, isOpen: isOpen)
        directory = try TemporaryDirectory(mode: isOpen ? 0o777 : 0o700)
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
            [Products.path(of: "retryd-exec"), "--socket", daemon.socket] + options,
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
        return try daemon.client.submit(operation, failure: Bench.temporary).id
    }

    static let temporary = RawJSON(Array(#"{"process":{"program":"x","exit_code":75}}"#.utf8))

    /// The failure document of the newest attempt.
    func failure(of details: OperationDetails) throws -> Document {
        guard let failure = details.failure else { throw Unusable("no failure: \(details)") }
        return try Document(failure)
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
                throw Unusable("not in time: \(what)\n\(exec.log)\(daemon.log)")
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
        else { throw Unusable("no runner of \(id): \(names)") }
        let state = try Files.readAll("\(runtime)/\(name)", bytesMax: 1 << 20)
        return Int32(try Document(RawJSON(state)).integer("runner_pid") ?? 0)
    }

    private static func process(in path: String) throws -> ProcessIdentity? {
        let text = String(decoding: try Files.readAll(path, bytesMax: 64), as: UTF8.self)
        let numbers = text.split { $0 == " " || $0 == "\n" }
        guard numbers.count == 2, let id = Int32(numbers[0]), let ticks = UInt64(numbers[1])
        else { return nil }
        return ProcessIdentity(process: id, startTicks: ticks)
    }
}

/// A JSON document and how to look into it.
final class Document {
    private let parser: JSONParser
    private let value: JSONValue

    init(_ json: RawJSON) throws {
        parser = JSONParser(lengthMax: max(1_024, json.bytes.count), depthMax: 32)
        value = try parser.parse(json.bytes)
    }

    private func member(_ path: [StaticString]) -> JSONValue? {
        var member: JSONValue? = value
        for name in path { member = member?[name] }
        return member
    }

    func string(_ path: StaticString...) -> String? { member(path)?.string }
    func integer(_ path: StaticString...) -> Int64? { member(path)?.integer }
    func bool(_ path: StaticString...) -> Bool? { member(path)?.bool }
    func strings(_ path: StaticString...) -> [String]? {
        member(path)?.elements.map { $0.compactMap(\.string) }
    }
}

extension Bench {
    /// Ends a process as a crash would.
    func kill(_ process: Int32) {
        guard let pidfd = try? ProcessIdentity.open(process) else { return }
        try? ProcessIdentity.send(.kill, toProcessBehind: pidfd.rawValue)
    }

    /// Hands a command over as another user. The daemon asks the kernel who calls, so another
    /// process must do it: perl is on every Debian.
    func submit(
        _ arguments: [String], asUser user: UInt32, group: UInt32, directory: String? = nil
    ) throws -> Int64 {
        var command = CommandPayload(arguments)
        command.workingDirectory = directory ?? self.directory.path
        let call =
            #"{"method":"io.retryd.Submit","parameters":{"operation":{"kind":"command","payload":"#
            + command.json.string + #"},"failure":"# + Bench.temporary.string + "}}"
        let script = """
            use IO::Socket::UNIX; $/ = "\\0";
            my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$ARGV[0]: $!";
            print $socket "$ARGV[1]\\0"; my $reply = <$socket>; chop $reply; print $reply;
            """
        let reply = "\(daemon.directory.path)/reply.\(user)"
        let caller = try RunningProgram(
            [
                "setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "perl", "-e",
                script, daemon.socket, call,
            ], logPath: reply)
        caller.wait()
        let text = try Files.readAll(reply, bytesMax: 1 << 20)
        guard let id = try Document(RawJSON(text)).integer("parameters", "id") else {
            throw Unusable("not submitted: \(String(decoding: text, as: UTF8.self))")
        }
        return id
    }
}
