/// Text that came from somebody else, made safe for a line of the journal or a terminal.
enum Escape {
    static func line(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // Control characters.
            case 0..<0x20, 0x7F..<0xA0:
                line += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            // Line ends of Unicode, marks of writing direction, and what has no width: text would
            // show other than it is (Unicode TR 36).
            case 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            case _:
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
