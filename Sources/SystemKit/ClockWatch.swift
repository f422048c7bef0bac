import CLinux
import Glibc

/// Tells when the wall clock is set, which the end of a suspend also does (timerfd_create(2),
/// TFD_TIMER_CANCEL_ON_SET).
package struct ClockWatch: ~Copyable {
    private let descriptor: OwnedFD

    package init() throws(SystemError) {
        let timer = OwnedFD(
            adopting: try Syscalls.checked("watch the wall clock") { CLinux_clock_watch() })
        try ClockWatch.arm(timer)
        descriptor = timer
    }

    private static func arm(_ timer: borrowing OwnedFD) throws(SystemError) {
        let descriptor = timer.rawValue
        try Syscalls.checked("watch the wall clock") { CLinux_clock_watch_arm(descriptor) }
    }

    /// Readable after the clock was set, until that is taken.
    package var fileDescriptor: Int32 { descriptor.rawValue }

    /// Whether the clock was set since the last call; watches on.
    package func takeChange() throws(SystemError) -> Bool {
        var expirations: UInt64 = 0
        let (count, code) = Syscalls.uninterrupted {
            Glibc.read(descriptor.rawValue, &expirations, MemoryLayout<UInt64>.size)
        }
        if count >= 0 || code == EAGAIN { return false }
        guard code == ECANCELED else { throw Syscalls.failure(code, "watch the wall clock") }
        try ClockWatch.arm(descriptor)
        return true
    }

    /// Whether the kernel takes its clock for synchronised with the world's; nil when it may not be
    /// asked, as in a sandbox without adjtimex(2).
    package static var isSynchronised: Bool? {
        let answer = CLinux_clock_synchronised()
        return answer < 0 ? nil : answer == 1
    }

    /// The same as systemd-timesyncd tells it by the files of its directory; nil when it does not
    /// run (systemd-timesyncd.service(8), FILES).
    package static func isSynchronised(byFilesIn directory: String = "/run/systemd/timesync")
        -> Bool?
    {
        guard (try? Files.status(directory)) != .some(nil) else { return nil }
        return (try? Files.status("\(directory)/synchronized")) != .some(nil)
    }

    /// Whether the wall clock is taken for right. One of which nobody knows better is.
    package static var isTrusted: Bool { isSynchronised ?? isSynchronised() ?? true }
}
