import RetryModel
import SystemKit

/// Wall times in sentences: local time, as `systemctl status` writes them.
enum WallClock {
    /// `2026-11-30 21:04:31`, in the host's time zone.
    static func text(_ time: WallTime) -> String {
        Clocks.localText(usec: time.usec)
    }
}
