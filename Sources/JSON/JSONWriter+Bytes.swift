/// How the parts of a text get into the buffer: room is made once for each, then bytes are written
/// through a pointer. Appending to an array costs as much for one byte as this for a whole name.
extension JSONWriter {
    /// Makes room for so many bytes; `fill` tells how many of them it wrote.
    @inlinable
    @inline(__always)
    mutating func append(atMost length: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
        if storage.count - used < length { grow(by: length) }
        let start = used
        used += storage.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return fill(base + start)
        }
    }

    @usableFromInline
    @inline(never)
    mutating func grow(by length: Int) {
        let size = max(256, storage.count * 2, used + length)
        storage.reserveCapacity(size)
        storage.append(contentsOf: repeatElement(0, count: size - storage.count))
    }

    @inlinable
    mutating func append(_ byte: UInt8) {
        append(atMost: 1) { end in
            end[0] = byte
            return 1
        }
    }

    @inlinable
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        append(atMost: bytes.count) { end in
            end.update(from: source, count: bytes.count)
            return bytes.count
        }
    }

    @inlinable
    mutating func separate() {
        if needsComma { append(0x2C) }
    }

    @inlinable
    mutating func open(_ bracket: UInt8) {
        let start = needsComma ? 1 : 0
        append(atMost: 2) { end in
            end[0] = 0x2C
            end[start] = bracket
            return start + 1
        }
        needsComma = false
    }

    @inlinable
    mutating func close(_ bracket: UInt8) {
        append(bracket)
        needsComma = true
    }

    /// A value that is written without quotes.
    @inlinable
    mutating func word(_ word: StaticString) {
        let start = needsComma ? 1 : 0
        let length = word.utf8CodeUnitCount
        append(atMost: length + 1) { end in
            end[0] = 0x2C
            (end + start).update(from: word.utf8Start, count: length)
            return start + length
        }
        needsComma = true
    }

    // MARK: Strings

    /// A string in its quotes; a name is followed by its colon.
    mutating func quote(_ utf8: UnsafeBufferPointer<UInt8>, isName: Bool) {
        let start = needsComma ? 1 : 0
        let clean = Self.cleanCount(utf8)
        // An escape takes up to six bytes.
        let bytesMax = clean + 6 * (utf8.count - clean)
        append(atMost: bytesMax + 4) { base in
            base[0] = 0x2C
            base[start] = 0x22
            var end = base + start + 1
            if let source = utf8.baseAddress {
                end.update(from: source, count: clean)
                end += clean
                if clean < utf8.count { end = Self.escape(utf8, from: clean, to: end) }
            }
            end[0] = 0x22
            end[1] = 0x3A
            return end + (isName ? 2 : 1) - base
        }
        needsComma = !isName
    }

    /// Writes what begins with a byte that needs an escape.
    private static func escape(
        _ utf8: UnsafeBufferPointer<UInt8>, from first: Int, to base: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var index = first
        var end = base
        while index < utf8.count {
            end = escape(utf8[index], to: end)
            let rest = UnsafeBufferPointer(rebasing: utf8[(index + 1)...])
            let clean = cleanCount(rest)
            if let source = rest.baseAddress { end.update(from: source, count: clean) }
            end += clean
            index += 1 + clean
        }
        return end
    }

    /// How many bytes come before the first one that needs an escape: a control character, a quote
    /// or a backslash (RFC 8259 section 7).
    @inline(__always)
    private static func cleanCount(_ utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let bytes = UnsafeRawBufferPointer(utf8)
        guard bytes.count >= 8 else { return cleanCount(ofShort: bytes) }
        // Eight bytes at a time; the last eight may have been looked at in part already.
        let last = bytes.count - 8
        var index = 0
        while true {
            let marks = escapeMarks(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            if index == last { return bytes.count }
            index = min(index + 8, last)
        }
    }

    /// The same for less than eight bytes.
    @inline(__always)
    private static func cleanCount(ofShort bytes: UnsafeRawBufferPointer) -> Int {
        if bytes.count >= 4 {
            // The first four and the last four, which may be the same in part.
            let first = bytes.loadUnaligned(as: UInt32.self)
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)
            if escapeMarks(UInt64(first) | UInt64(last) << 32) == 0 { return bytes.count }
        }
        return bytes.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? bytes.count
    }

    /// The top bit of each of eight bytes that needs an escape, and perhaps of bytes behind one: a
    /// byte is below n when subtracting n borrows into its top bit and the bit was not set before.
    @inline(__always)
    private static func escapeMarks(_ loaded: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = UInt64(littleEndian: loaded)
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let marks =
            (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
            | (backslashes &- ones) & ~backslashes
        return marks & (ones &* 0x80)
    }

    private static func escape(
        _ byte: UInt8, to end: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        end[0] = 0x5C
        switch byte {
        case 0x22, 0x5C: end[1] = byte
        case 0x0A: end[1] = 0x6E
        case 0x0D: end[1] = 0x72
        case 0x09: end[1] = 0x74
        default:
            end[1] = 0x75
            end[2] = 0x30
            end[3] = 0x30
            end[4] = hexDigit(byte >> 4)
            end[5] = hexDigit(byte & 15)
            return end + 6
        }
        return end + 2
    }

    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 0x30 + nibble : 0x57 + nibble
    }
}
