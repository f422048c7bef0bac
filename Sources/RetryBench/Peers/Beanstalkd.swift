import SystemKit

/// beanstalkd with an empty log directory.
final class Beanstalkd {
    /// When it syncs what it was told.
    enum Sync: String {
        /// Before each answer, as retryd does.
        case always = "-f0"
        /// Never: for filling it, where only its memory is looked at.
        case never = "-F"
    }

    let socket: String
    private let directory: WorkDirectory
    private(set) var process: DaemonProcess

    init(_ options: Options, _ name: String, _ sync: Sync = .always) throws(BenchError) {
        directory = try WorkDirectory(in: options.directory, name)
        socket = "\(directory.path)/socket"
        process = try Self.start(directory.path, socket, sync)
        try process.awaitSocket(socket)
    }

    private static func start(
        _ directory: String, _ socket: String, _ sync: Sync
    ) throws(BenchError) -> DaemonProcess {
        try DaemonProcess(
            "beanstalkd", ["beanstalkd", "-l", "unix:\(socket)", "-b", directory, sync.rawValue])
    }

    /// The version, if it is installed.
    static func version() -> String? {
        guard let pipe = try? Pipe(),
            let child = try? ChildProcess.start(
                ["beanstalkd", "-v"], input: .null, output: .descriptor(pipe.writer.rawValue),
                error: .null)
        else { return nil }
        guard case .exited(code: 0) = child.wait() else { return nil }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
        defer { room.deallocate() }
        guard case .count(let count) = try? Syscalls.read(pipe.reader.rawValue, into: room) else {
            return nil
        }
        return String(
            decoding: room[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Ends it and starts it again on what it has stored.
    ///
    /// - Returns: How long it took from SIGTERM to the end, and from the start of the program to
    ///   its first answer.
    func restart() throws(BenchError) -> (endUsec: Int64, readyUsec: Int64) {
        let begin = Clocks.monotonicUsec()
        process.stop()
        let endUsec = Clocks.monotonicUsec() - begin
        let start = Clocks.monotonicUsec()
        process = try Self.start(directory.path, socket, .always)
        try process.awaitSocket(socket)
        // It listens before it reads its log, and answers after it.
        let loop = try ClosedLoop(socket: socket, .one) { _ in PutDialogue(delaySeconds: 3_600) }
        _ = try loop.run(count: 1)
        return (endUsec, Clocks.monotonicUsec() - start)
    }
}
