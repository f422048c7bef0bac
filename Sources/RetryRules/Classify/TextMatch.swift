import JSON

/// Comparisons of texts that are not copied.
enum TextMatch {
    @inline(__always)
    static func isEqual(
        _ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard text.count == other.count else { return false }
        for index in 0..<text.count where text[index] != other[index] { return false }
        return true
    }

    static func isEqual(_ text: UnsafeBufferPointer<UInt8>, _ literal: StaticString) -> Bool {
        isEqual(
            text,
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    static func isEqualIgnoringCase(
        _ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        text.count == other.count && isEqualFolded(text, at: 0, other, from: 0)
    }

    static func isEqualIgnoringCase(
        _ text: UnsafeBufferPointer<UInt8>, _ literal: StaticString
    ) -> Bool {
        isEqualIgnoringCase(
            text,
            UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Texts longer than that are searched at their beginning and end only.
    static let searchedBytesMax = 64 * 1024

    /// Whether a text occurs in another when ASCII case counts for nothing.
    static func contains(
        _ text: UnsafeBufferPointer<UInt8>, _ part: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if text.count <= searchedBytesMax { return find(part, in: text, from: 0) != nil }
        let half = searchedBytesMax / 2
        let head = UnsafeBufferPointer(rebasing: text[..<half])
        let tail = UnsafeBufferPointer(rebasing: text[(text.count - half)...])
        return find(part, in: head, from: 0) != nil || find(part, in: tail, from: 0) != nil
    }

    /// Where a text first occurs in another at or behind an offset, ASCII case ignored.
    static func find(
        _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from: Int
    ) -> Int? {
        guard part.count >= 2, let base = UnsafeRawPointer(text.baseAddress) else {
            return findByte(part, in: text, from: from)
        }
        let last = text.count - part.count
        // Eight places at once: only where the first two bytes fit is the rest compared. Bit 0x20
        // is set in every byte, which takes a few others for letters; the comparison finds out.
        let ones: UInt64 = 0x0101_0101_0101_0101
        let fold = ones &* 0x20
        let first = ones &* UInt64(part[0] | 0x20)
        let second = ones &* UInt64(part[1] | 0x20)
        var index = from
        while index + 8 <= last {
            let here = base.loadUnaligned(fromByteOffset: index, as: UInt64.self) | fold
            let next = base.loadUnaligned(fromByteOffset: index + 1, as: UInt64.self) | fold
            var places = zeroBytes(here ^ first) & zeroBytes(next ^ second)
            while places != 0 {
                let place = index + places.trailingZeroBitCount >> 3
                if isEqualFolded(text, at: place, part, from: 0) { return place }
                places &= places - 1
            }
            index += 8
        }
        while index <= last {
            if isEqualFolded(text, at: index, part, from: 0) { return index }
            index += 1
        }
        return nil
    }

    /// The high bit of each byte that is zero, and perhaps of bytes above such a one.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    private static func findByte(
        _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, from: Int
    ) -> Int? {
        guard let first = part.first else { return from }
        for index in from..<max(from, text.count)
        where asciiLowercased(text[index]) == asciiLowercased(first) { return index }
        return nil
    }

    static func find(
        _ part: StaticString, in text: UnsafeBufferPointer<UInt8>, from: Int = 0
    ) -> Int? {
        let part = UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount)
        return find(part, in: text, from: from)
    }

    @inline(__always)
    private static func isEqualFolded(
        _ text: UnsafeBufferPointer<UInt8>, at offset: Int, _ part: UnsafeBufferPointer<UInt8>,
        from first: Int
    ) -> Bool {
        for index in first..<max(first, part.count)
        where asciiLowercased(text[offset + index]) != asciiLowercased(part[index]) {
            return false
        }
        return true
    }

    /// Whether a text matches a pattern in which `*` stands for any bytes and `?` for one.
    static func matches(
        _ text: UnsafeBufferPointer<UInt8>, pattern: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var at = 0
        var inPattern = 0
        // Where to go on when what follows the last star does not fit here.
        var star = -1
        var resume = 0
        while at < text.count {
            if inPattern < pattern.count, pattern[inPattern] == 0x2A {
                star = inPattern
                resume = at
                inPattern += 1
            } else if inPattern < pattern.count,
                pattern[inPattern] == 0x3F || pattern[inPattern] == text[at]
            {
                at += 1
                inPattern += 1
            } else if star >= 0 {
                resume += 1
                at = resume
                inPattern = star + 1
            } else {
                return false
            }
        }
        while inPattern < pattern.count, pattern[inPattern] == 0x2A { inPattern += 1 }
        return inPattern == pattern.count
    }
}
