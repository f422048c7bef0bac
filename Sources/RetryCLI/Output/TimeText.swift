import RetryConfig
import RetryModel
import SystemKit

/// Times as people read them.
package enum TimeText {
    /// A length of time by its two largest units: "1h 30min", "4s", "0s" below a second.
    package static func span(usec: Int64) -> String {
        let units: [(name: String, usec: Int64)] = [
            ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000),
        ]
        guard let first = units.firstIndex(where: { usec >= $0.usec }) else { return "0s" }
        var text = "\(usec / units[first].usec)\(units[first].name)"
        if first + 1 < units.count {
            let rest = usec % units[first].usec / units[first + 1].usec
            if rest > 0 { text += " \(rest)\(units[first + 1].name)" }
        }
        return text
    }

    /// The same for a number of seconds as documents tell it, which servers choose: what does not
    /// fit is told as the longest length there is.
    package static func span(seconds: Double) -> String {
        span(usec: Int64(exactly: (seconds * 1e6).rounded(.towardZero)) ?? (seconds > 0 ? .max : 0))
    }

    /// A moment as seen from another: "in 4s", "2min ago", "now".
    package static func relative(_ usec: Int64, nowUsec: Int64) -> String {
        let difference = (WallTime(usec: usec) - WallTime(usec: nowUsec)).usec
        // Half a second of the future is already nothing to wait for.
        if difference.magnitude < 500_000 { return "now" }
        // A wait is never told shorter than it is.
        if difference > 0 {
            let up = Span(usec: difference) + Span(usec: 999_999)
            return "in \(span(usec: up.usec))"
        }
        if difference > -1_000_000 { return "now" }
        return "\(span(usec: Int64(clamping: difference.magnitude))) ago"
    }

    /// A moment by the calendar: "Mon 2026-11-30 23:39:01 CET".
    package static func absolute(_ usec: Int64) -> String {
        let local = LocalTime(usec: usec)
        return "\(local.weekday) \(local.date) \(local.time) \(local.zone)"
    }

    /// Both: "in 4s (Mon 2026-11-30 23:39:01 CET)".
    package static func full(_ usec: Int64, nowUsec: Int64) -> String {
        "\(relative(usec, nowUsec: nowUsec)) (\(absolute(usec)))"
    }

    /// The time of the day, for lines that follow each other: "23:39:01".
    package static func clock(_ usec: Int64) -> String { LocalTime(usec: usec).time }

    /// The longest wait a command line takes: longer than anybody waits, and far from where sums
    /// of times end.
    private static let spanMax = Span.days(36_500)

    /// Reads a length of time: `90s`, `1h 30min`, `5d`; a bare number is seconds.
    package static func parseSpanMs(_ text: String) -> Int64? {
        guard let span = SpanText.parse(text), span.usec > 0, span <= spanMax else { return nil }
        return span.millisecondsUp
    }

    /// Reads a moment: a length of time from now, or `@SECONDS` since the epoch.
    package static func parseMomentUsec(_ text: String, nowUsec: Int64) -> Int64? {
        if text.utf8.first == UInt8(ascii: "@") {
            guard let seconds = Int64(text.dropFirst()), seconds >= 0 else { return nil }
            return (WallTime(usec: 0) + .seconds(seconds)).usec
        }
        guard let span = SpanText.parse(text), span.usec > 0 else { return nil }
        return (WallTime(usec: nowUsec) + span).usec
    }
}
