import Glibc

extension Clocks {
    /// A wall time in the host's time zone, as `systemctl` writes it: `2026-11-30 21:04:31`.
    package static func localText(usec: Int64) -> String {
        var seconds = time_t(usec / 1_000_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return "@\(seconds)" }
        return "\(parts.tm_year + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
