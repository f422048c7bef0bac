/// What a body that came as a text is.
enum BodyText {
    case json
    case form
    case plain

    /// Judged by its looks: the content type is often wrong where errors are concerned.
    static func form(of text: UnsafeBufferPointer<UInt8>) -> BodyText {
        guard let first = text.first(where: { byte in !isSpace(byte) }) else { return .plain }
        if first == 0x7B || first == 0x5B { return .json }
        var hasEquals = false
        // A form has no spaces, quotes or angle brackets: they are escaped.
        for byte in text.prefix(formLookAhead) {
            if byte <= 0x20 || byte == 0x22 || byte == 0x3C || byte == 0x3E { return .plain }
            if byte == 0x3D { hasEquals = true }
        }
        return hasEquals ? .form : .plain
    }

    private static var formLookAhead: Int { 256 }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte &- 0x09 < 5
    }
}
