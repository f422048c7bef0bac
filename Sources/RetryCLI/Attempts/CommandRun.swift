import RetryClient
import SystemKit

/// One run of a command. What it writes to standard error passes through, and the end of it is
/// kept for the failure document.
final class CommandRun {
    struct Ended {
        var end: ProcessFailure.End
        var errorTail: [UInt8]
        var timedOut: Bool
    }

    /// Between SIGTERM and SIGKILL.
    private static let graceUsec: Int64 = 10_000_000
    private static let readBytesMax = 16 * 1024

    private let loop: EventLoop
    private var child: ChildProcess?
    /// Its writing end stays open on this side too, so it never says that it ended: a process that
    /// the command left behind may hold it anyway. What counts is the end of the command.
    private let errors: Pipe
    private var tail = StreamTail(bytesMax: ProcessFailure.errorTailBytesMax)
    private var timedOut = false
    private let ended: (Ended) throws -> Void
    private var sources: [Source] = []
    private var timer: TimerSource?

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - variables: what its environment has on top of this process's own.
    ///   - timeoutMs: it is stopped when it takes longer.
    ///   - ended: called once, from the loop.
    /// - Throws: why the command can't be run, as execve(2) says.
    init(
        _ arguments: [String], variables: [(name: String, value: String?)] = [],
        input: ChildProcess.Stream, timeoutMs: Int64?, loop: EventLoop,
        ended: @escaping (Ended) throws -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.ended = ended
        errors = try Pipe()
        try Syscalls.setNonBlocking(errors.reader.rawValue)
        let child = try ChildProcess.start(
            arguments, variables: variables, input: input,
            error: .descriptor(errors.writer.rawValue))
        let process = child.fileDescriptor
        self.child = consume child
        // Handlers hold the run until it has ended, whoever else does.
        sources = [
            try loop.addIO(errors.reader.rawValue, .readable, priority: .clients) { _ in
                self.passErrors()
            },
            try loop.addProcessEnd(pidfd: process, priority: .accept) { try self.finish() },
        ]
        if let timeoutMs {
            let timer = try loop.addTimer(priority: .timer) {
                self.timedOut = true
                self.stop()
            }
            timer.arm(atUsec: Clocks.boottimeUsec() + timeoutMs * 1_000)
            self.timer = timer
        }
    }

    func send(_ signal: ProcessSignal) {
        child?.send(signal)
    }

    /// Ends the command: first asks, after a while does not.
    func stop() {
        if isStopping { return }
        isStopping = true
        send(.terminate)
        timer?.close()
        timer = try? loop.addTimer(priority: .timer) { self.send(.kill) }
        timer?.arm(atUsec: Clocks.boottimeUsec() + CommandRun.graceUsec)
    }

    private(set) var isStopping = false

    private func passErrors() {
        withUnsafeTemporaryAllocation(byteCount: CommandRun.readBytesMax, alignment: 1) { buffer in
            let reader = errors.reader.rawValue
            while case .count(let count) = try? Syscalls.read(reader, into: buffer) {
                let new = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                tail.append(new)
                // Whoever closed standard error does not want it; the document still gets it.
                _ = try? StandardStream.error.write(new)
            }
        }
    }

    private func finish() throws {
        passErrors()
        for source in sources { source.close() }
        sources = []
        timer?.close()
        timer = nil
        guard let child = child.take() else { preconditionFailure("a command ends once") }
        let end: ProcessFailure.End =
            switch child.wait() {
            case .exited(let code): .exited(code: code)
            case .killed(let signal, let coreDumped):
                .killed(signal: signal.rawValue, coreDumped: coreDumped)
            }
        try ended(Ended(end: end, errorTail: tail.tail, timedOut: timedOut))
    }
}

extension ProcessFailure.End {
    /// The exit code as a shell tells it: 128 + the signal's number for a command that was killed.
    var shellCode: Int32 {
        switch self {
        case .exited(let code): code
        case .killed(let signal, _): 128 + signal
        }
    }

    var text: String {
        switch self {
        case .exited(let code): "ended with exit code \(code)"
        case .killed(let signal, _): "was killed by \(ProcessSignal(rawValue: signal).name)"
        }
    }
}
