package import RetryModel

/// Lengths of time as people write them in configuration and on command lines.
///
/// The form is systemd's (systemd.time(7), "PARSING TIME SPANS"): numbers with units, one after the
/// other, spaces between them or not: `90s`, `1h 30min`, `5d`. A number without a unit is seconds.
package enum SpanText {
    /// Reads a span; nil when it is not one. The result is never negative and saturates.
    package static func parse(_ text: String) -> Span? {
        var rest = text.utf8[...]
        var total = Span.zero
        var parts = 0
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            if rest.isEmpty { break }
            guard let number = takeNumber(&rest) else { return nil }
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            let unit = rest.prefix { isLetter($0) }
            rest = rest.dropFirst(unit.count)
            guard let unitUsec = microseconds(unit: String(Substring(unit))) else { return nil }
            total = total + number.spanned(unitUsec: unitUsec)
            parts += 1
        }
        return parts > 0 ? total : nil
    }

    /// Writes a span as `parse` reads it, largest unit first: `1h 30min`.
    package static func write(_ span: Span) -> String {
        if span == .infinity { return "infinity" }
        var rest = span.usec
        var parts: [String] = []
        for (name, unitUsec) in writtenUnits where rest >= unitUsec {
            parts.append("\(rest / unitUsec)\(name)")
            rest %= unitUsec
        }
        return parts.isEmpty ? "0s" : parts.joined(separator: " ")
    }

    private static let writtenUnits: [(name: String, usec: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000),
        ("ms", 1_000), ("us", 1),
    ]

    private static func microseconds(unit: String) -> Int64? {
        switch unit {
        case "us", "usec": 1
        case "ms", "msec": 1_000
        case "", "s", "sec", "second", "seconds": 1_000_000
        case "m", "min", "minute", "minutes": 60_000_000
        case "h", "hr", "hour", "hours": 3_600_000_000
        case "d", "day", "days": 86_400_000_000
        case "w", "week", "weeks": 604_800_000_000
        default: nil
        }
    }

    /// A decimal number as an integer and six digits behind the point.
    private struct Number {
        var whole: Int64
        var millionths: Int64

        func spanned(unitUsec: Int64) -> Span {
            // The largest unit times 999,999 is far below 2^63.
            Span(usec: unitUsec) * whole + Span(usec: unitUsec * millionths / 1_000_000)
        }
    }

    private static func takeNumber(_ rest: inout Substring.UTF8View) -> Number? {
        let digits = rest.prefix { isDigit($0) }
        rest = rest.dropFirst(digits.count)
        guard let whole = Int64(Substring(digits)) else { return nil }
        var number = Number(whole: whole, millionths: 0)
        guard rest.first == UInt8(ascii: ".") else { return number }
        let decimals = rest.dropFirst().prefix { isDigit($0) }
        rest = rest.dropFirst(1 + decimals.count)
        guard !decimals.isEmpty, decimals.count <= 6 else { return nil }
        var scale: Int64 = 100_000
        for digit in decimals {
            number.millionths += Int64(digit - UInt8(ascii: "0")) * scale
            scale /= 10
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }
}

extension Span {
    /// Longer than every wait: the limit it stands for is never reached.
    package static let infinity = Span(usec: .max)
}
