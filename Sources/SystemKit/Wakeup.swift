import CLinux
import Glibc

/// Wakes a thread: an eventfd(2). Signals before a `drain` or `wait` fall together into one.
package final class Wakeup: Sendable {
    private let descriptor: OwnedFD

    /// How the receiver learns of a signal.
    package enum Reader: Sendable {
        /// The reader sleeps in `wait`.
        case blocking
        /// The reader watches `fileDescriptor` in a loop and calls `drain`.
        case polling
    }

    package init(reader: Reader) throws(SystemError) {
        let nonBlocking =
            switch reader {
            case .blocking: false
            case .polling: true
            }
        descriptor = OwnedFD(
            adopting: try Syscalls.checked("eventfd") { CLinux_eventfd(nonBlocking) })
    }

    /// Readable after a signal until it is drained.
    package var fileDescriptor: Int32 { descriptor.rawValue }

    /// Never blocks: the counter would have to reach 2^64 - 2 first.
    package func signal() {
        var one: UInt64 = 1
        let (count, code) = Syscalls.uninterrupted { write(descriptor.rawValue, &one, 8) }
        precondition(count == 8, "write to an eventfd: \(SystemError.reason(code))")
    }

    /// Takes the signals that have come, for a polling reader.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package func drain() -> Bool {
        take()
    }

    /// Sleeps until a signal has come and takes it, for a blocking reader.
    package func wait() {
        let taken = take()
        precondition(taken, "wait is for a blocking reader")
    }

    private func take() -> Bool {
        var signals: UInt64 = 0
        let (count, code) = Syscalls.uninterrupted { read(descriptor.rawValue, &signals, 8) }
        if count == 8 { return true }
        precondition(code == EAGAIN, "read from an eventfd: \(SystemError.reason(code))")
        return false
    }
}
