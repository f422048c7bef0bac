import JSON
import RetryModel

/// `34.074s` (protobuf's JSON form), `6m0s`, `1h2m`, `20ms` (Go's).
enum DurationText {
    static func usec(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = WaitText.trimmed(text)
        guard !text.isEmpty else { return nil }
        var total = Span.zero
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, text[index] &- 0x30 < 10 || text[index] == 0x2E {
                index += 1
            }
            let digits = UnsafeBufferPointer(rebasing: text[start..<index])
            guard let number = WaitText.millionths(digits) else { return nil }
            let unitStart = index
            while index < text.count, (text[index] | 0x20) &- 0x61 < 26 { index += 1 }
            let unit = UnsafeBufferPointer(rebasing: text[unitStart..<index])
            guard let part = span(number, unit) else { return nil }
            total = total + part
        }
        return total.usec
    }

    private static func span(
        _ millionths: Int64, _ unit: UnsafeBufferPointer<UInt8>
    ) -> Span? {
        if TextMatch.isEqual(unit, "s") { return Span(usec: millionths) }
        if TextMatch.isEqual(unit, "ms") { return Span(usec: millionths / 1_000) }
        if TextMatch.isEqual(unit, "m") { return Span(usec: millionths) * 60 }
        if TextMatch.isEqual(unit, "h") { return Span(usec: millionths) * 3_600 }
        return nil
    }
}

/// The field `RateLimit` (draft-ietf-httpapi-ratelimit-headers): seconds until more is allowed,
/// told only where nothing is left.
enum RateLimitField {
    /// The longest of all policies that are used up; nil where none is.
    static func secondsLeft(in text: UnsafeBufferPointer<UInt8>) -> Int64? {
        if TextMatch.find("remaining", in: text) != nil {
            // Draft 07: one policy, `limit=100, remaining=0, reset=50`.
            return secondsLeft(in: text, remaining: "remaining", reset: "reset")
        }
        // Later drafts: a list of `"name";r=0;t=50`.
        var longest: Int64?
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: 0x2C) ?? text.count
            let item = UnsafeBufferPointer(rebasing: text[start..<end])
            start = end + 1
            guard let seconds = secondsLeft(in: item, remaining: "r", reset: "t") else { continue }
            longest = max(longest ?? 0, seconds)
        }
        return longest
    }

    private static func secondsLeft(
        in item: UnsafeBufferPointer<UInt8>, remaining: StaticString, reset: StaticString
    ) -> Int64? {
        guard number(remaining, in: item) == 0 else { return nil }
        return number(reset, in: item)
    }

    /// The number behind `name=`.
    private static func number(
        _ name: StaticString, in text: UnsafeBufferPointer<UInt8>
    ) -> Int64? {
        var from = 0
        while let found = TextMatch.find(name, in: text, from: from) {
            from = found + 1
            let isStart = found == 0 || Words.folded(text[found - 1]) == nil
            let equals = found + name.utf8CodeUnitCount
            guard isStart, equals < text.count, text[equals] == 0x3D else { continue }
            var end = equals + 1
            while end < text.count, text[end] &- 0x30 < 10 { end += 1 }
            return WaitText.digits(UnsafeBufferPointer(rebasing: text[(equals + 1)..<end]))
        }
        return nil
    }
}

/// Graph's `X-Business-Use-Case-Usage`: JSON with, for each object and use case, the minutes until
/// access comes back.
enum UsageField {
    /// The longest; nil where none is told.
    static func minutesToWait(in text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let name: StaticString = "\"estimated_time_to_regain_access\""
        var longest: Int64?
        var from = 0
        while let found = TextMatch.find(name, in: text, from: from) {
            from = found + name.utf8CodeUnitCount
            guard
                let colon = text[from...].firstIndex(where: { byte in
                    !BodyText.isSpace(byte)
                }), text[colon] == 0x3A
            else { continue }
            var start = colon + 1
            while start < text.count, BodyText.isSpace(text[start]) { start += 1 }
            var end = start
            while end < text.count, text[end] &- 0x30 < 10 { end += 1 }
            let digits = UnsafeBufferPointer(rebasing: text[start..<end])
            guard let minutes = WaitText.digits(digits) else { continue }
            longest = max(longest ?? 0, minutes)
        }
        return longest
    }
}
