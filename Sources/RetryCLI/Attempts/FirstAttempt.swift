import RetryClient
import SystemKit

/// The attempt that `retryctl run` makes at once.
///
/// The command is in this process's group: what the terminal sends goes to both. What others send
/// to this process is passed on.
struct FirstAttempt {
    enum Result {
        case succeeded
        case failed(CommandRun.Ended)
        /// Somebody stopped it, by a signal to the command or to this process.
        case interrupted(exitCode: Int32)
        /// The command can't be run.
        case notRun(CommandFailure)
    }

    /// Each of them means that somebody does not want it to go on.
    private static let signals: [ProcessSignal] = [.interrupt, .terminate, .hangUp, .quit]

    private final class Progress {
        var ended: CommandRun.Ended?
        var stoppedBy: ProcessSignal?
    }

    static func make(
        _ arguments: [String], input: StandardInput, timeoutMs: Int64?
    ) throws(CommandFailure) -> Result {
        ProcessSignal.ignorePipe()
        ProcessSignal.block(signals)
        // Afterwards Ctrl-C ends this process as usual.
        defer { ProcessSignal.unblock(signals) }
        do {
            return try run(arguments, input, timeoutMs)
        } catch let error as CommandFailure {
            return .notRun(error)
        } catch {
            throw CommandFailure("\(error)", .failure)
        }
    }

    private static func run(
        _ arguments: [String], _ input: StandardInput, _ timeoutMs: Int64?
    ) throws -> Result {
        let loop = try EventLoop()
        let queue = try SignalQueue(signals)
        let progress = Progress()
        let command = try start(arguments, input, timeoutMs, loop) { ended in
            progress.ended = ended
            loop.exit(0)
        }
        let source = try loop.addIO(queue.fileDescriptor, .readable, priority: .signals) { _ in
            while let arrival = try queue.next() {
                progress.stoppedBy = progress.stoppedBy ?? arrival.signal
                if !arrival.isFromKernel { command.send(arrival.signal) }
            }
        }
        defer { source.close() }
        _ = try loop.run()
        guard let ended = progress.ended else { preconditionFailure("the loop ends with it") }
        return judge(ended, stoppedBy: progress.stoppedBy)
    }

    private static func start(
        _ arguments: [String], _ input: StandardInput, _ timeoutMs: Int64?, _ loop: EventLoop,
        _ ended: @escaping (CommandRun.Ended) throws -> Void
    ) throws -> CommandRun {
        let program = arguments[0]
        do throws(SystemError) {
            func command(_ stream: ChildProcess.Stream) throws(SystemError) -> CommandRun {
                try CommandRun(
                    arguments, input: stream, timeoutMs: timeoutMs, loop: loop, ended: ended)
            }
            switch input {
            case .inherited: return try command(.inherited)
            case .null: return try command(.null)
            case .spooled(let bytes):
                let spool = try MemoryFile.make(named: "standard input", bytes)
                // A number alone does not keep the file open until the command has its own.
                return try withExtendedLifetime(spool) { () throws(SystemError) in
                    try command(.descriptor(spool.rawValue))
                }
            }
        } catch {
            throw CommandFailure(
                "\(program): \(error.reason); nothing was run and nothing handed over",
                error.isNotFound ? .commandNotFound : .commandNotRunnable)
        }
    }

    static func judge(_ ended: CommandRun.Ended, stoppedBy: ProcessSignal?) -> Result {
        switch ended.end {
        case .exited(code: 0): return .succeeded
        case .exited, .killed: break
        }
        if let stoppedBy { return .interrupted(exitCode: 128 + stoppedBy.rawValue) }
        if case .killed(let signal, _) = ended.end, signal == ProcessSignal.interrupt.rawValue {
            return .interrupted(exitCode: ExitCode.interrupted.rawValue)
        }
        return .failed(ended)
    }
}
