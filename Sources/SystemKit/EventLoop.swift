import CLinux
import CSystemd
import Glibc

/// One thread's loop over sd-event (sd-event(3)).
///
/// sd-event dispatches one source per turn, the one of the highest priority first. Connections do
/// not each get a source: they share a `PollSet`, which is one source of this loop.
///
/// The loop and everything that hangs on it belong to the thread that made it.
package final class EventLoop {
    let event: OpaquePointer
    private var failure: (any Error)?

    /// The order in which ready sources are served.
    package enum Priority: Int64, Sendable {
        /// Signals and the watchdog.
        case signals = -30
        /// Finished commits: answers wait for them.
        case store = -20
        /// The one timer of everything that is due.
        case timer = -10
        /// The poll set of client connections.
        case clients = 0
        /// New connections.
        case accept = 10
        /// Work that may wait: check-points, summaries.
        case idle = 20
    }

    package init() throws(SystemError) {
        var pointer: OpaquePointer?
        let result = sd_event_new(&pointer)
        guard result >= 0, let pointer else {
            throw Syscalls.libraryFailure(result, "sd_event_new")
        }
        event = pointer
    }

    deinit {
        sd_event_unref(event)
    }

    /// Serves the sources until `exit` is called or a handler throws.
    ///
    /// - Returns: the code given to `exit`.
    /// - Throws: what a handler threw, or a `SystemError` of the loop itself.
    package func run() throws -> Int32 {
        let result = sd_event_loop(event)
        if let failure { throw failure }
        if result < 0 { throw Syscalls.libraryFailure(result, "sd_event_loop") }
        return result
    }

    /// Serves at most one source.
    ///
    /// - Parameter timeoutUsec: how long to wait for one; nil waits for ever.
    /// - Returns: whether a source was served.
    @discardableResult
    package func runOnce(timeoutUsec: UInt64?) throws -> Bool {
        let result = sd_event_run(event, timeoutUsec ?? .max)
        if let failure { throw failure }
        if result < 0 { throw Syscalls.libraryFailure(result, "sd_event_run") }
        return result > 0
    }

    /// Ends `run` after the handler that runs now.
    package func exit(_ code: Int32) {
        let result = sd_event_exit(event, code)
        precondition(result >= 0, "sd_event_exit: the loop has already ended")
    }

    /// The time of this turn on CLOCK_BOOTTIME, read once when the turn began; between turns the
    /// present time.
    package var nowUsec: Int64 {
        var usec: UInt64 = 0
        let result = sd_event_now(event, CLOCK_BOOTTIME, &usec)
        precondition(result >= 0, "sd_event_now: the kernel has CLOCK_BOOTTIME")
        return Int64(clamping: usec)
    }

    /// How often systemd wants WATCHDOG=1 from this process, or nil if it does not
    /// (sd_watchdog_enabled(3)). Ping at half of it.
    package static var watchdogUsec: Int64? {
        var usec: UInt64 = 0
        return sd_watchdog_enabled(0, &usec) > 0 ? Int64(clamping: usec) : nil
    }

    /// Runs a handler for a C callback; what it throws ends the loop and is thrown by `run`.
    func perform(_ handler: () throws -> Void) {
        do {
            try handler()
        } catch {
            if failure == nil { failure = error }
            exit(EXIT_FAILURE)
        }
    }
}
