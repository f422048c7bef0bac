import JSON

/// Parts of texts by which failures are known.
enum TextTake {
    /// What follows the last slash.
    static func basename(of text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let slash = text.lastIndex(of: 0x2F)
        return (slash.map { index in index + 1 } ?? 0)..<text.count
    }

    /// Up to the first space; a leading `-`, as the Redis protocol writes it, is left out.
    static func firstWord(of text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let first = text.first == 0x2D ? 1 : 0
        return first..<(text[first...].firstIndex(where: BodyText.isSpace) ?? text.count)
    }

    /// What follows the last `.` or `$`.
    static func lastLabel(of text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let separator = text.lastIndex { byte in byte == 0x2E || byte == 0x24 }
        return (separator.map { index in index + 1 } ?? 0)..<text.count
    }

    /// `com.amazon.coral.availability#ThrottlingException:http://…` is a ThrottlingException.
    static func awsName(of text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let first = text.firstIndex(of: 0x23).map { index in index + 1 } ?? 0
        return first..<(text[first...].firstIndex(of: 0x3A) ?? text.count)
    }

    /// The host of a URL, without user and port.
    static func host(of text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let scheme = TextMatch.find("://", in: text) else { return nil }
        var first = scheme + 3
        let end =
            text[first...].firstIndex { byte in
                byte == 0x2F || byte == 0x3F || byte == 0x23
            } ?? text.count
        if let at = text[first..<end].lastIndex(of: 0x40) { first = at + 1 }
        if text[first..<end].first == 0x5B {
            // An IPv6 address stands in brackets.
            let bracket = text[first..<end].firstIndex(of: 0x5D) ?? end
            return first..<bracket
        }
        return first..<(text[first..<end].firstIndex(of: 0x3A) ?? end)
    }

    /// The value of `error=` in a challenge, quoted or not (RFC 9110 section 11.6.1).
    static func challengeError(of text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var from = 0
        while let found = TextMatch.find("error", in: text, from: from) {
            from = found + 1
            let isStart =
                found == 0 || BodyText.isSpace(text[found - 1])
                || text[found - 1] == 0x2C
            var index = skipSpaces(text, found + 5)
            guard isStart, index < text.count, text[index] == 0x3D else { continue }
            index = skipSpaces(text, index + 1)
            guard index < text.count else { return nil }
            if text[index] == 0x22 {
                let end = text[(index + 1)...].firstIndex(of: 0x22) ?? text.count
                return index + 1..<end
            }
            let end = text[index...].firstIndex { byte in
                byte == 0x2C || BodyText.isSpace(byte)
            }
            return index..<(end ?? text.count)
        }
        return nil
    }

    /// The status a tool wrote: `returned error: 503` (curl, git), `ERROR 503:` (wget),
    /// `HTTP/1.1 503`.
    static func status(in text: UnsafeBufferPointer<UInt8>) -> Int64? {
        status(behind: "error", in: text) ?? status(behind: "http/1.1", in: text)
            ?? status(behind: "http/2", in: text) ?? status(behind: "http", in: text)
    }

    private static func status(
        behind word: StaticString, in text: UnsafeBufferPointer<UInt8>
    ) -> Int64? {
        var from = 0
        while let found = TextMatch.find(word, in: text, from: from) {
            from = found + 1
            var index = found + word.utf8CodeUnitCount
            if index < text.count, text[index] == 0x3A { index += 1 }
            let first = skipSpaces(text, index)
            guard first > index || index > found + word.utf8CodeUnitCount else { continue }
            guard first + 3 <= text.count else { continue }
            let digits = UnsafeBufferPointer(rebasing: text[first..<first + 3])
            let isAlone = first + 3 == text.count || text[first + 3] &- 0x30 > 9
            if isAlone, let number = WaitText.whole(digits), (300...599).contains(number) {
                return number
            }
        }
        return nil
    }

    private static func skipSpaces(_ text: UnsafeBufferPointer<UInt8>, _ from: Int) -> Int {
        var index = from
        while index < text.count, BodyText.isSpace(text[index]) { index += 1 }
        return index
    }
}
