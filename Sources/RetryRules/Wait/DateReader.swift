import JSON
import RetryModel

/// Reads dates out of texts.
struct DateReader {
    private let text: UnsafeBufferPointer<UInt8>
    private(set) var index = 0

    init(_ text: UnsafeBufferPointer<UInt8>, at index: Int = 0) {
        self.text = text
        self.index = index
    }

    /// The whole text is a date, spaces around it aside.
    ///
    /// - Parameter near: Tells what century the two digits of an RFC 850 year belong to.
    static func date(_ text: UnsafeBufferPointer<UInt8>, near: WallTime) -> WallTime? {
        let trimmed = WaitText.trimmed(text)
        var iso = DateReader(trimmed)
        var http = DateReader(trimmed)
        guard let found = iso.readISODate() ?? http.readHTTPDate(near: near) else { return nil }
        return found.end == trimmed.count ? found.time : nil
    }

    /// The first date in a text.
    static func firstDate(
        in text: UnsafeBufferPointer<UInt8>, near: WallTime
    ) -> WallTime? {
        // Every date has digits, and most texts have none.
        guard text.contains(where: { $0 &- 0x30 < 10 }) else { return nil }
        for index in text.indices {
            let isStart = index == 0 || !isWordByte(text[index - 1])
            guard isStart, isWordByte(text[index]) else { continue }
            var iso = DateReader(text, at: index)
            if let found = iso.readISODate() { return found.time }
            var http = DateReader(text, at: index)
            if let found = http.readHTTPDate(near: near) { return found.time }
        }
        return nil
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { Words.folded(byte) != nil }

    // MARK: ISO 8601

    /// `2026-03-01T12:00:20Z` (RFC 3339); a space for the `T` and no zone are taken too, the
    /// latter as UTC. A day alone is no date to wait for.
    private mutating func readISODate() -> (time: WallTime, end: Int)? {
        guard let year = readNumber(digits: 4), take(0x2D), let month = readNumber(digits: 2),
            take(0x2D), let day = readNumber(digits: 2), takeDateTimeSeparator(),
            let hour = readNumber(digits: 2), take(0x3A), let minute = readNumber(digits: 2)
        else { return nil }
        var date = CivilDate(year: year, month: month, day: day, hour: hour, minute: minute)
        if take(0x3A) {
            guard let second = readNumber(digits: 2) else { return nil }
            date.second = second
            date.microsecond = readFraction()
        }
        date.offsetMinutes = readOffset()
        return date.wallTime.map { time in (time, index) }
    }

    private mutating func takeDateTimeSeparator() -> Bool {
        take(0x54) || take(0x74) || take(0x20)
    }

    private mutating func readFraction() -> Int64 {
        guard index < text.count, text[index] == 0x2E || text[index] == 0x2C else { return 0 }
        guard index + 1 < text.count, text[index + 1] &- 0x30 < 10 else { return 0 }
        index += 1
        var microseconds: Int64 = 0
        var scale: Int64 = 100_000
        while index < text.count, text[index] &- 0x30 < 10 {
            microseconds += Int64(text[index] - 0x30) * scale
            scale /= 10
            index += 1
        }
        return microseconds
    }

    /// `Z`, `+01:00` or `-0130`; what is none of them stays unread.
    private mutating func readOffset() -> Int64 {
        if take(0x5A) || take(0x7A) { return 0 }
        guard index < text.count, text[index] == 0x2B || text[index] == 0x2D else { return 0 }
        let sign: Int64 = text[index] == 0x2D ? -1 : 1
        let start = index
        index += 1
        guard let hours = readNumber(digits: 2) else {
            index = start
            return 0
        }
        _ = take(0x3A)
        return sign * (hours * 60 + (readNumber(digits: 2) ?? 0))
    }

    // MARK: HTTP dates (RFC 9110 section 5.6.7)

    /// `Sun, 01 Mar 2026 12:02:00 GMT`, `Sunday, 01-Mar-26 12:05:00 GMT` or
    /// `Sun Mar  1 12:05:00 2026`. The name of the day is not checked.
    private mutating func readHTTPDate(near: WallTime) -> (time: WallTime, end: Int)? {
        guard let weekday = readWord(), Self.isWeekday(weekday) else { return nil }
        guard take(0x2C) else { return readAsctimeDate() }
        skipSpaces()
        guard let day = readNumber(digits: 2) else { return nil }
        let isObsolete = take(0x2D)
        if !isObsolete { skipSpaces() }
        guard let month = readMonth() else { return nil }
        var year: Int64?
        if isObsolete {
            guard take(0x2D) else { return nil }
            year = readNumber(digits: 4) ?? readNumber(digits: 2)
        } else {
            skipSpaces()
            year = readNumber(digits: 4)
        }
        guard let year else { return nil }
        skipSpaces()
        var date = CivilDate(year: year, month: month, day: day)
        guard readTime(into: &date) else { return nil }
        skipSpaces()
        guard let zone = readWord(), Self.isUniversal(zone) else { return nil }
        if year < 100 { date.year = Self.fullYear(year, of: date, near: near) }
        return date.wallTime.map { time in (time, index) }
    }

    private mutating func readAsctimeDate() -> (time: WallTime, end: Int)? {
        skipSpaces()
        guard let month = readMonth() else { return nil }
        skipSpaces()
        guard let day = readNumber(digits: 2) ?? readNumber(digits: 1) else { return nil }
        skipSpaces()
        var date = CivilDate(year: 1, month: month, day: day)
        guard readTime(into: &date) else { return nil }
        skipSpaces()
        guard let year = readNumber(digits: 4) else { return nil }
        date.year = year
        return date.wallTime.map { time in (time, index) }
    }

    private mutating func readTime(into date: inout CivilDate) -> Bool {
        guard let hour = readNumber(digits: 2), take(0x3A), let minute = readNumber(digits: 2),
            take(0x3A), let second = readNumber(digits: 2)
        else { return false }
        date.hour = hour
        date.minute = minute
        date.second = second
        return true
    }

    /// A year of two digits that seems to lie more than 50 years ahead is one of the past.
    private static func fullYear(
        _ year: Int64, of date: CivilDate, near: WallTime
    ) -> Int64 {
        let usecPerYear: Int64 = 31_556_952_000_000
        let thisYear = 1970 + near.usec / usecPerYear
        let inThisCentury = thisYear - thisYear % 100 + year
        return inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury
    }

    private mutating func readMonth() -> Int64? {
        guard let word = readWord(), word.count >= 3 else { return nil }
        let names: StaticString = "janfebmaraprmayjunjulaugsepoctnovdec"
        for month in 0..<12 {
            let name = UnsafeBufferPointer(start: names.utf8Start + month * 3, count: 3)
            let start = UnsafeBufferPointer(rebasing: word[..<3])
            if TextMatch.isEqualIgnoringCase(start, name) { return Int64(month + 1) }
        }
        return nil
    }

    private static func isWeekday(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        guard word.count >= 3, word.count <= 9 else { return false }
        let names: StaticString = "montuewedthufrisatsun"
        let start = UnsafeBufferPointer(rebasing: word[..<3])
        for day in 0..<7 {
            let name = UnsafeBufferPointer(start: names.utf8Start + day * 3, count: 3)
            if TextMatch.isEqualIgnoringCase(start, name) { return true }
        }
        return false
    }

    private static func isUniversal(_ zone: UnsafeBufferPointer<UInt8>) -> Bool {
        TextMatch.isEqualIgnoringCase(zone, "GMT") || TextMatch.isEqualIgnoringCase(zone, "UTC")
    }

    // MARK: Bytes

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpaces() {
        while index < text.count, text[index] == 0x20 { index += 1 }
    }

    private mutating func readWord() -> UnsafeBufferPointer<UInt8>? {
        let start = index
        while index < text.count, (text[index] | 0x20) &- 0x61 < 26 { index += 1 }
        return start == index ? nil : UnsafeBufferPointer(rebasing: text[start..<index])
    }

    /// Exactly that many digits; nothing is read where there are fewer.
    private mutating func readNumber(digits: Int) -> Int64? {
        guard index + digits <= text.count else { return nil }
        var number: Int64 = 0
        for offset in 0..<digits {
            let digit = text[index + offset] &- 0x30
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
        }
        index += digits
        return number
    }
}
