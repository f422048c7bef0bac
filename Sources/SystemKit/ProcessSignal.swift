import Glibc

/// A signal of the system, signal(7). What retryd calls a signal is something else.
package struct ProcessSignal: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let hangUp = ProcessSignal(rawValue: SIGHUP)
    package static let interrupt = ProcessSignal(rawValue: SIGINT)
    package static let quit = ProcessSignal(rawValue: SIGQUIT)
    package static let kill = ProcessSignal(rawValue: SIGKILL)
    package static let user1 = ProcessSignal(rawValue: SIGUSR1)
    package static let user2 = ProcessSignal(rawValue: SIGUSR2)
    package static let terminate = ProcessSignal(rawValue: SIGTERM)
    package static let child = ProcessSignal(rawValue: SIGCHLD)
    package static let pipe = ProcessSignal(rawValue: SIGPIPE)
    package static let windowSize = ProcessSignal(rawValue: SIGWINCH)

    /// Blocks signals in the calling thread and in those it will start, so that they wait for an
    /// `EventLoop`. Called before any other thread exists.
    package static func block(_ signals: [ProcessSignal]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals {
            let result = sigaddset(&set, signal.rawValue)
            precondition(result == 0, "\(signal.rawValue) is no signal")
        }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        precondition(result == 0, "pthread_sigmask: \(SystemError.reason(result))")
    }

    /// Children that end are gone at once; nobody waits for them, and `ChildProcess` is of no use
    /// any more (sigaction(2), NOTES).
    package static func ignoreChildren() {
        signal(SIGCHLD, SIG_IGN)
    }

    /// A write to a pipe or socket without a reader then fails with EPIPE instead of ending the
    /// process. The setting is inherited by programs this process starts.
    package static func ignorePipe() {
        signal(SIGPIPE, SIG_IGN)
    }
}
