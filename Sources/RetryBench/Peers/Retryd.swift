import SystemKit

/// retryd with an empty state directory, everything else as it is shipped, and queues of which
/// each has a policy that a measurement needs.
final class Retryd {
    let socket: String
    private let program: String
    private let directory: WorkDirectory
    private(set) var process: DaemonProcess

    /// Nothing of it comes due.
    static let farQueue = "far"
    /// Ready a millisecond after it was handed over, the shortest delay there is.
    static let nowQueue = "now"
    /// A signal that is off holds what names this credential.
    static let heldSignal = "credential:bench"
    static let heldMember = #""credential":"bench","#
    /// Due 8 to 16 s after it was handed over.
    static let soonQueue = "soon"
    /// When the first of `soonQueue` is due.
    static let soonMs: Int64 = 8_000

    /// Ended operations are removed as fast as others end: only then a cycle costs what it costs
    /// in the long run.
    private static let configuration = """
        [limits]
        operations-per-user = 4_000_000

        [retention]
        ended-count = 1_000

        [policy.far]
        initial = "300d"
        max = "300d"
        jitter = "none"

        [policy.now]
        initial = "1ms"
        max = "1ms"
        jitter = "none"
        floor = 0

        [policy.soon]
        initial = "16s"
        max = "16s"
        jitter = "equal"

        [queue]
        far = { policy = "far" }
        now = { policy = "now" }
        soon = { policy = "soon" }

        """

    init(_ options: Options, _ name: String) throws(BenchError) {
        program = try Self.path(options)
        directory = try WorkDirectory(in: options.directory, name)
        socket = "\(directory.path)/socket"
        do {
            try Files.makeDirectory("\(directory.path)/state", mode: 0o700)
            try Files.makeDirectory("\(directory.path)/config", mode: 0o700)
            try Files.writeAtomically(
                "\(directory.path)/config/retryd.toml", Array(Self.configuration.utf8),
                mode: 0o600)
        } catch {
            throw .system(error)
        }
        process = try Self.start(program, directory.path, socket, variables: [])
        try process.awaitSocket(socket)
    }

    private static func path(_ options: Options) throws(BenchError) -> String {
        if let path = options.retryd { return path }
        let own = Executable.path ?? ""
        let directory = own.utf8.lastIndex(of: UInt8(ascii: "/")).map { own[..<$0] } ?? "."
        let path = "\(directory)/retryd"
        guard ((try? Files.status(path)) ?? nil) != nil else {
            throw .daemon("\(path) is missing: run make first, or say --retryd PATH")
        }
        return path
    }

    private static func start(
        _ program: String, _ directory: String, _ socket: String,
        variables: [(name: String, value: String?)]
    ) throws(BenchError) -> DaemonProcess {
        try DaemonProcess(
            "retryd",
            [
                program, "--state", "\(directory)/state", "--socket", socket, "--config",
                "\(directory)/config",
            ], variables: variables)
    }

    /// Ends the daemon and starts it again on what it has stored.
    ///
    /// - Returns: How long it took from SIGTERM to the end, and from the start of the program to
    ///   READY=1.
    func restart() throws(BenchError) -> (endUsec: Int64, readyUsec: Int64) {
        let begin = Clocks.monotonicUsec()
        process.stop()
        let endUsec = Clocks.monotonicUsec() - begin
        let manager = try NotifyReceiver("\(directory.path)/notify")
        let start = Clocks.monotonicUsec()
        process = try Self.start(
            program, directory.path, socket, variables: [("NOTIFY_SOCKET", manager.path)])
        try manager.awaitReady(of: process)
        return (endUsec, Clocks.monotonicUsec() - start)
    }
}

/// The service manager's end of sd_notify(3).
struct NotifyReceiver: ~Copyable {
    let path: String
    private let socket: OwnedFD

    init(_ path: String) throws(BenchError) {
        self.path = path
        do {
            socket = try UnixSocket.bindDatagram(path: path)
        } catch {
            throw .socket(error)
        }
    }

    func awaitReady(of process: DaemonProcess) throws(BenchError) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
        defer { room.deallocate() }
        let end = Clocks.monotonicUsec() + DaemonProcess.patienceMs * 1_000
        while Clocks.monotonicUsec() < end {
            do {
                guard try Syscalls.wait(for: socket.rawValue, .readable, timeoutMs: 100) else {
                    if process.hasEnded { break }
                    continue
                }
                guard case .count(let count) = try Syscalls.receive(socket.rawValue, into: room)
                else { continue }
                let lines = room[..<count].split(separator: UInt8(ascii: "\n"))
                if lines.contains(where: { $0.elementsEqual("READY=1".utf8) }) { return }
            } catch {
                throw .system(error)
            }
        }
        throw process.failure(" after a restart")
    }
}
