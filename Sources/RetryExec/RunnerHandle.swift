import SystemKit

/// The runner of an attempt as seen from here: started by this process or by the one before.
final class RunnerHandle {
    /// Nil when it has ended.
    private var pidfd: OwnedFD?
    /// Of a runner that waits for its start.
    private var start: OwnedFD?
    private var end: Source?

    /// - Parameter start: nil: it was started.
    init(pidfd: consuming OwnedFD, start: consuming OwnedFD? = nil) {
        self.pidfd = consume pidfd
        self.start = consume start
    }

    /// One that has ended.
    init() {}

    var isAlive: Bool { pidfd != nil }

    /// - Parameter ended: called once when it has ended.
    func watch(in loop: EventLoop, ended: @escaping () -> Void) throws(SystemError) {
        guard let descriptor = pidfd?.rawValue else { return }
        end = try loop.addProcessEnd(pidfd: descriptor, priority: .store) { [unowned self] in
            close()
            ended()
        }
    }

    /// Has it start its command.
    ///
    /// - Throws: EPIPE when it has ended.
    func startCommand() throws(SystemError) {
        guard let start = start.take() else { preconditionFailure("a command is started once") }
        let word: [UInt8] = [1]
        try word.span.withUnsafeBytes { (bytes) throws(SystemError) in
            try Files.writeAll(start.rawValue, bytes, name: "the start of a command")
        }
    }

    /// Has it stop its command and end without a result.
    func stop() throws(SystemError) {
        // One that waits for its start ends when it cannot come any more.
        start = nil
        try send(.terminate)
    }

    /// Tells it that its result was taken.
    func resultWasTaken() throws(SystemError) {
        try send(.user1)
    }

    private func send(_ signal: ProcessSignal) throws(SystemError) {
        guard let descriptor = pidfd?.rawValue else { return }
        try ProcessIdentity.send(signal, toProcessBehind: descriptor)
    }

    /// Watches it no longer.
    func close() {
        end?.close()
        end = nil
        pidfd = nil
    }
}
