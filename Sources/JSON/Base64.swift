/// Base64 with the standard alphabet (RFC 4648 section 4): how bytes travel in JSON.
public enum Base64 {
    /// Encodes with padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var held = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            held += 1
            if held == 3 {
                append(group, digits: 4, to: &encoded)
                group = 0
                held = 0
            }
        }
        if held > 0 {
            append(group << (8 * UInt32(3 - held)), digits: held + 1, to: &encoded)
            for _ in held..<3 { encoded.append(UInt8(ascii: "=")) }
        }
        return encoded
    }

    /// Decodes; nil for what is not base64: other characters (white space too), a length that is
    /// no multiple of four, bits set behind the last byte (RFC 4648 section 3.5).
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text {
            if character == UInt8(ascii: "=") {
                padding += 1
            } else {
                guard padding == 0, let value = value(of: character) else { return nil }
                group = group << 6 | value
                digits += 1
                if digits == 4 {
                    decoded.append(UInt8(truncatingIfNeeded: group >> 16))
                    decoded.append(UInt8(truncatingIfNeeded: group >> 8))
                    decoded.append(UInt8(truncatingIfNeeded: group))
                    group = 0
                    digits = 0
                }
            }
        }
        switch (digits, padding) {
        case (0, 0): break
        case (2, 2):
            guard group & 0xF == 0 else { return nil }
            decoded.append(UInt8(truncatingIfNeeded: group >> 4))
        case (3, 1):
            guard group & 0x3 == 0 else { return nil }
            decoded.append(UInt8(truncatingIfNeeded: group >> 10))
            decoded.append(UInt8(truncatingIfNeeded: group >> 2))
        case (_, _): return nil
        }
        return decoded
    }

    private static func append(_ group: UInt32, digits: Int, to encoded: inout [UInt8]) {
        for index in 0..<digits {
            encoded.append(digit(group >> UInt32(18 - 6 * index) & 0x3F))
        }
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        switch value {
        case 0..<26: return UInt8(ascii: "A") + value
        case 26..<52: return UInt8(ascii: "a") + value - 26
        case 52..<62: return UInt8(ascii: "0") + value - 52
        case 62: return UInt8(ascii: "+")
        default: return UInt8(ascii: "/")
        }
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
