import CLinux
import Glibc

extension ProcessIdentity {
    /// Sends a signal to the process behind a pidfd: never to a later one of the same number
    /// (pidfd_send_signal(2)). Nothing happens when it has ended.
    package static func send(
        _ signal: ProcessSignal, toProcessBehind pidfd: Int32
    ) throws(SystemError) {
        let (result, code) = Syscalls.uninterrupted {
            CLinux_pidfd_send_signal(pidfd, signal.rawValue)
        }
        if result < 0, code != ESRCH { throw Syscalls.failure(code, "signal a process") }
    }

    /// Sends a signal to the process group that this process leads or led.
    ///
    /// The number of a group is not given out again while the group has members. When none is
    /// left and the number belongs to a later process, nobody gets the signal.
    package func signalGroup(_ signal: ProcessSignal) {
        guard process > 1 else { return }
        let now = ProcessIdentity.startTicks(process)
        let isSomebodyElse = now != 0 && startTicks != 0 && now != startTicks
        if !isSomebodyElse { kill(-process, signal.rawValue) }
    }
}
