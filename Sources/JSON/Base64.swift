/// Base64 (RFC 4648 section 4), for payloads that are not text.
public enum Base64 {
    /// - Returns: nil when the text is not base64 with its padding.
    public static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        if text.isEmpty { return [] }
        var padding = 0
        if text[text.count - 1] == 0x3D { padding += 1 }
        if text[text.count - 2] == 0x3D { padding += 1 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let isLast = start + 4 == text.count
            var group: UInt32 = 0
            for offset in 0..<4 {
                if isLast, offset >= 4 - padding {
                    group <<= 6
                    continue
                }
                guard let digit = value(of: text[start + offset]) else { return nil }
                group = group << 6 | digit
            }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            if !isLast || padding < 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
            if !isLast || padding < 1 { bytes.append(UInt8(truncatingIfNeeded: group)) }
        }
        return bytes
    }

    /// - Returns: ASCII, padded with `=`.
    public static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for offset in 0..<3 {
                group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
            }
            for digit in 0..<4 {
                let isPadding = digit > count
                text.append(isPadding ? 0x3D : digits[Int(group >> (18 - 6 * UInt32(digit))) & 63])
            }
        }
        return text
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case 0x41...0x5A: UInt32(digit) - 0x41
        case 0x61...0x7A: UInt32(digit) - 0x61 + 26
        case 0x30...0x39: UInt32(digit) - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
