import Glibc
package import SystemKit

/// A program started by a test. Whatever it says goes into a file; it is killed when the value
/// goes.
package final class RunningProgram {
    package let processID: Int32
    private let logPath: String
    private var process: ChildProcess?

    /// - Parameters:
    ///   - arguments: the program, looked for in PATH if it has no slash, and its arguments.
    ///   - logPath: gets what it writes, after what is there.
    package init(_ arguments: [String], logPath: String) throws {
        self.logPath = logPath
        let log = try Files.open(logPath, O_WRONLY | O_CREAT | O_APPEND)
        let started = try ChildProcess.start(
            arguments, input: .null, output: .descriptor(log.rawValue),
            error: .descriptor(log.rawValue))
        processID = started.id
        process = consume started
    }

    deinit {
        if isRunning { kill() }
    }

    package var isRunning: Bool { process != nil }

    /// What it has written so far.
    package var log: String {
        let bytes = (try? Files.readAll(logPath, bytesMax: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    package func send(_ signal: ProcessSignal) {
        process?.send(signal)
    }

    /// Waits for its end.
    @discardableResult
    package func wait() -> ProcessEnd {
        guard let process = process.take() else { preconditionFailure("it has ended") }
        return process.wait()
    }

    /// Ends it as a crash would.
    package func kill() {
        send(.kill)
        wait()
    }

    /// Asks it to end, and waits until it has.
    @discardableResult
    package func terminate() -> ProcessEnd {
        send(.terminate)
        return wait()
    }
}
