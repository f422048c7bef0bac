import Glibc

/// A moment by the calendar of the host's time zone.
package struct LocalTime: Hashable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    /// "Mon".
    package let weekday: String
    /// "CET", "UTC".
    package let zone: String

    /// - Parameter usec: microseconds since 1970-01-01 00:00 UTC.
    package init(usec: Int64) {
        var seconds = time_t(usec / 1_000_000)
        var fields = tm()
        localtime_r(&seconds, &fields)
        year = Int(fields.tm_year) + 1_900
        month = Int(fields.tm_mon) + 1
        day = Int(fields.tm_mday)
        hour = Int(fields.tm_hour)
        minute = Int(fields.tm_min)
        second = Int(fields.tm_sec)
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        weekday = weekdays[Int(fields.tm_wday) % 7]
        zone = fields.tm_zone.map { String(cString: $0) } ?? "UTC"
    }

    /// "2026-11-30"
    package var date: String {
        "\(year)-\(twoDigits(month))-\(twoDigits(day))"
    }

    /// "23:39:01"
    package var time: String {
        "\(twoDigits(hour)):\(twoDigits(minute)):\(twoDigits(second))"
    }

    private func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
