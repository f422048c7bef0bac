/// Makes text that came from others harmless to a terminal.
///
/// Control characters could move the cursor, set the title or answer as if typed (ECMA-48), marks
/// of writing direction could show text other than it is (Unicode TR 36). They become escapes.
package enum TerminalText {
    package static func escape(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) {
            return text
        }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\t": escaped += "\\t"
            case "\r": escaped += "\\r"
            // So that nobody can write what an escape looks like.
            case "\\": escaped += "\\\\"
            case let scalar where isDangerous(scalar):
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Several lines: as `escape`, with the line breaks kept.
    package static func escapeLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { escape(String($0)) }
            .joined(separator: "\n")
    }

    /// A JSON text, in whose strings such characters can stand as they are; written as `\u` escapes
    /// they mean the same to every reader.
    package static func escapeJSON(_ json: [UInt8]) -> [UInt8] {
        if json.allSatisfy({ $0 < 0x7F }) { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count + 16)
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if isDangerous(scalar), scalar.value >= 0x7F {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u".utf8
                escaped += String(repeating: "0", count: 4 - digits.utf8.count).utf8
                escaped += digits.utf8
            } else {
                escaped += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
        return escaped
    }

    /// All of them are below U+10000.
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Control characters.
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separator, marks of writing direction.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        // Zero width: a name that looks like another's.
        case 0x200B...0x200D, 0x2060, 0xFEFF: true
        default: false
        }
    }
}
