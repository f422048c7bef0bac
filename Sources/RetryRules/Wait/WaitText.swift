import JSON
import RetryModel

/// Numbers and times in texts and JSON values.
enum WaitText {
    static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var first = 0
        var end = text.count
        while first < end, BodyText.isSpace(text[first]) { first += 1 }
        while end > first, BodyText.isSpace(text[end - 1]) { end -= 1 }
        return UnsafeBufferPointer(rebasing: text[first..<end])
    }

    /// A whole number, negative too, spaces around it and zeros behind a point aside: `0.0` is 0.
    static func whole(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = trimmed(text)
        guard let first = text.first else { return nil }
        let isNegative = first == 0x2D
        var index = isNegative ? 1 : 0
        let start = index
        var number: Int64 = 0
        while index < text.count, text[index] &- 0x30 < 10 {
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(text[index] - 0x30))
            guard !overflow, !carry else { return nil }
            number = sum
            index += 1
        }
        guard index > start else { return nil }
        if index < text.count {
            guard text[index] == 0x2E, index + 1 < text.count else { return nil }
            guard text[(index + 1)...].allSatisfy({ byte in byte == 0x30 }) else { return nil }
        }
        return isNegative ? -number : number
    }

    /// Digits and nothing else, spaces aside; what is too large is as large as can be.
    static func digits(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = trimmed(text)
        guard !text.isEmpty else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard byte &- 0x30 < 10 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - 0x30))
            number = overflow || carry ? .max : sum
        }
        return number
    }

    /// Digits with or without a fraction, in millionths; what is too large is as large as can be.
    static func millionths(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = trimmed(text)
        let point = text.firstIndex(of: 0x2E) ?? text.count
        guard let whole = digits(UnsafeBufferPointer(rebasing: text[..<point])) else { return nil }
        var fraction: Int64 = 0
        if point < text.count {
            guard point + 1 < text.count else { return nil }
            var scale: Int64 = 100_000
            for byte in text[(point + 1)...] {
                guard byte &- 0x30 < 10 else { return nil }
                fraction += Int64(byte - 0x30) * scale
                scale /= 10
            }
        }
        return (Span.seconds(whole) + Span(usec: fraction)).usec
    }

    /// A number that is not negative, in millionths.
    static func millionths(_ fact: Fact) -> Int64? {
        switch fact.kind {
        case .text: millionths(fact.text)
        case .integer: fact.bits < 0 ? nil : Span.seconds(fact.bits).usec
        case .double: millionths(fact.double)
        case .bool, .array, .object: nil
        }
    }

    static func millionths(_ number: Double) -> Int64? {
        guard number.isFinite, number >= 0 else { return nil }
        return number < 9e12 ? Int64((number * 1e6).rounded()) : .max
    }

    /// The time of `received_at`: ISO 8601, or a Unix time in seconds, milli- or microseconds.
    static func wallTime(_ fact: Fact) -> WallTime? {
        if let number = fact.whole { return wallTime(unix: number) }
        if fact.kind == .double {
            // Only seconds have a fraction.
            guard fact.double > 0, fact.double < Double(unixSecondsMax) else { return nil }
            return millionths(fact.double).map { WallTime(usec: $0) }
        }
        guard fact.kind == .text else { return nil }
        return DateReader.date(fact.text, near: WallTime(usec: 0))
    }

    /// A Unix time in the unit that its size tells.
    static func wallTime(unix number: Int64) -> WallTime? {
        guard number > 0 else { return nil }
        if number < unixSecondsMax { return WallTime(usec: Span.seconds(number).usec) }
        if number < unixMillisecondsMax {
            return WallTime(usec: Span.milliseconds(number).usec)
        }
        return WallTime(usec: number)
    }

    /// A Unix time in seconds is smaller than that until the year 5138.
    static let unixSecondsMax: Int64 = 100_000_000_000
    /// And one in milliseconds smaller than this.
    static let unixMillisecondsMax: Int64 = 100_000_000_000_000
    /// Seconds that are left are fewer than that (three years); more is a Unix time.
    static let deltaSecondsMax: Int64 = 100_000_000
}
