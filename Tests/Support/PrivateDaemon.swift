import Glibc
package import SystemKit

/// A `retryd` of a test's own: a child process with directories and a socket of its own, which ends
/// with the value.
///
/// Other users can reach its socket; its state directory is its own.
package final class PrivateDaemon {
    package let directory: TemporaryDirectory
    /// Arguments after those for state, socket and configuration.
    package var arguments: [String] = []
    /// What its environment has on top of this process's own.
    package var variables: [(name: String, value: String?)] = []
    /// Words before the program's path, such as a shell that lowers a limit.
    package var wrapper: [String] = []
    private var child: ChildProcess?
    private var errorFile: Int32 = -1

    package var state: String { "\(directory.path)/state" }
    package var configuration: String { "\(directory.path)/config" }
    package var socket: String { "\(directory.path)/socket" }

    /// Makes the directories.
    ///
    /// - Parameter settings: The text of its retryd.toml.
    package init(settings: String = "") throws {
        directory = try TemporaryDirectory()
        // For clients of other users.
        guard chmod(directory.path, 0o755) == 0 else { throw Failure("chmod: errno \(errno)") }
        try Files.makeDirectory(state, mode: 0o700)
        try Files.makeDirectory(configuration, mode: 0o700)
        for name in ["rules.d", "retryd.toml.d"] {
            try Files.makeDirectory("\(configuration)/\(name)", mode: 0o700)
        }
        if !settings.isEmpty { try write(settings, to: "retryd.toml") }
    }

    /// Makes the directories and starts it.
    package static func started(settings: String = "") throws -> PrivateDaemon {
        let daemon = try PrivateDaemon(settings: settings)
        try daemon.start()
        return daemon
    }

    deinit {
        kill()
        if errorFile >= 0 { _ = OwnedFD(adopting: errorFile) }
    }

    /// Puts a file into its configuration directory.
    package func write(_ text: String, to name: String) throws {
        try Files.writeAtomically("\(configuration)/\(name)", Array(text.utf8), mode: 0o644)
    }

    // MARK: The process

    /// Starts it and waits until it serves.
    ///
    /// - Throws: What it wrote, when it ended instead.
    package func start() throws {
        try launch()
        try awaitService()
    }

    /// Starts it.
    package func launch() throws {
        precondition(child == nil, "the daemon runs")
        if errorFile >= 0 { _ = OwnedFD(adopting: errorFile) }
        errorFile = try MemoryFile.make(named: "retryd-errors", []).release()
        child = try ChildProcess.start(
            wrapper + commandLine, variables: variables, input: .null,
            output: .descriptor(errorFile), error: .descriptor(errorFile))
    }

    /// What starts it.
    package var commandLine: [String] {
        [BuiltProgram.path("retryd"), "--state", state, "--socket", socket]
            + ["--config", configuration] + arguments
    }

    /// Waits until it takes connections.
    package func awaitService() throws {
        let endUsec = Clocks.monotonicUsec() + 30_000_000
        while true {
            if let client = try? WireClient(socket) {
                // When this has returned the daemon counts the connection no more.
                try client.finishSending()
                _ = try client.isClosed(withinMs: 30_000)
                return
            }
            if hasEnded(withinMs: 2) {
                throw Failure("retryd ended with \(wait()): \(errors)")
            }
            guard Clocks.monotonicUsec() < endUsec else {
                throw Failure("retryd does not serve: \(errors)")
            }
        }
    }

    /// Its process; 0 when it does not run.
    package var process: Int32 {
        switch child {
        case .some(let child): child.id
        case .none: 0
        }
    }

    /// What it wrote to standard output and standard error since its last start.
    package var errors: String {
        guard errorFile >= 0 else { return "" }
        let path = "/proc/self/fd/\(errorFile)"
        let bytes = (try? Files.readAll(path, bytesMax: 64 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    package func send(_ signal: ProcessSignal) {
        switch child {
        case .some(let child): child.send(signal)
        case .none: preconditionFailure("the daemon does not run")
        }
    }

    package func hasEnded(withinMs timeoutMs: Int64) -> Bool {
        switch child {
        case .some(let child):
            // A descriptor of a child can only fail to be waited for by a fault of the test.
            (try? Syscalls.wait(for: child.fileDescriptor, .readable, timeoutMs: timeoutMs)) ?? true
        case .none: true
        }
    }

    /// Waits for its end.
    package func wait() -> ProcessEnd {
        guard let ended = child.take() else { preconditionFailure("the daemon does not run") }
        return ended.wait()
    }

    /// Ends it in good order.
    @discardableResult
    package func stop() -> ProcessEnd {
        send(.terminate)
        return wait()
    }

    /// Ends it in the middle of whatever it does.
    package func kill() {
        guard let running = child.take() else { return }
        running.send(.kill)
        _ = running.wait()
    }

    package func restart() throws {
        stop()
        try start()
    }
}

/// Why a test cannot go on.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
