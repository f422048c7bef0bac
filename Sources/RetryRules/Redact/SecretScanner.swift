import JSON

/// Finds secrets inside texts: URLs, forms, JSON texts, command lines, lines of a log.
///
/// Looked for are a secret name followed by `=` or `:` and its value, a password or token in front
/// of the host of a URL, signatures in its query, what follows `Bearer` or `Basic` if it is long
/// enough to be a credential, flags of commands (SecretScanner+Commands) and private keys in PEM.
struct SecretScanner {
    let text: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// The next secret; nil when there is none.
    mutating func next() -> Range<Int>? {
        while index < text.count {
            if isWorthAsking(at: index), let found = secret(at: index), !found.isEmpty {
                index = found.upperBound
                return found
            }
            index += 1
        }
        return nil
    }

    /// Two bytes rule out nearly every place.
    @inline(__always)
    private func isWorthAsking(at index: Int) -> Bool {
        guard index + 1 < text.count else { return false }
        let next = text[index + 1] | 0x20
        switch text[index] | 0x20 {
        case 0x3A: return text[index + 1] == 0x2F  // :/
        case 0x62: return next == 0x65 || next == 0x61  // be, ba
        case 0x74: return next == 0x6F  // to
        case 0x73: return next == 0x65 || next == 0x69 || next == 0x73  // se, si, ss
        case 0x70: return next == 0x61 || next == 0x72 || next == 0x77  // pa, pr, pw
        case 0x2D: return next == 0x2D || next == 0x75  // --, -u
        case 0x61: return next == 0x75 || next == 0x70  // au, ap
        case 0x63: return next == 0x6F || next == 0x6C  // co, cl
        case _: return false
        }
    }

    private func secret(at index: Int) -> Range<Int>? {
        switch asciiLowercased(text[index]) {
        case 0x3A:  // :
            return starts("://", at: index) ? password(behind: index + 3) : nil
        case 0x62:  // b
            return scheme("bearer", at: index) ?? scheme("basic", at: index)
        case 0x74:  // t
            return starts("token", at: index) ? value(ofNameAround: index) : nil
        case 0x73:  // s
            if starts("secret", at: index) { return value(ofNameAround: index) }
            if starts("sshpass", at: index) { return passwordOfSshpass(at: index) }
            return starts("sig", at: index) ? signature(at: index) : nil
        case 0x70:  // p
            let isName =
                starts("passw", at: index) || starts("passphrase", at: index)
                || starts("private", at: index) || starts("pwd", at: index)
            return isName ? value(ofNameAround: index) : nil
        case 0x61:  // a
            let isName = starts("authorization", at: index) || starts("api", at: index)
            return isName ? value(ofNameAround: index) : nil
        case 0x63:  // c
            let isName = starts("cookie", at: index) || starts("client", at: index)
            return isName ? value(ofNameAround: index) : nil
        case 0x2D:  // -
            return privateKey(at: index) ?? valueOfFlag(at: index)
        case _:
            return nil
        }
    }

    func starts(_ word: StaticString, at index: Int) -> Bool {
        let count = word.utf8CodeUnitCount
        guard index + count <= text.count else { return false }
        return TextMatch.isEqualIgnoringCase(
            UnsafeBufferPointer(rebasing: text[index..<index + count]), word)
    }

    // MARK: name = value

    private func value(ofNameAround index: Int) -> Range<Int>? {
        var first = index
        while first > 0, isNameByte(text[first - 1]) { first -= 1 }
        var end = index
        while end < text.count, isNameByte(text[end]) { end += 1 }
        let name = UnsafeBufferPointer(rebasing: text[first..<end])
        guard SecretNames.isSecret(name) else { return nil }
        // A URL within a URL: %3D is the equals sign (RFC 3986 section 2.1).
        if starts("%3d", at: end) {
            var last = end + 3
            while last < text.count, !endsValue(text[last]), !starts("%26", at: last) { last += 1 }
            return end + 3..<last
        }
        var start = skipQuote(end)
        start = skipSpaces(start)
        guard start < text.count, text[start] == 0x3D || text[start] == 0x3A else {
            // `--password value` in a command line.
            return start > end && name.count > 2 && name[0] == 0x2D && name[1] == 0x2D
                ? word(from: start) : nil
        }
        start = skipToValue(start + 1)
        let opening = start
        start = skipQuote(start)
        guard start < text.count else { return nil }
        if start > opening {
            return start..<closingQuote(from: start, isEscaped: start - opening == 2)
        }
        let isField = SecretNames.isField(name)
        return
            start..<(text[start...].firstIndex { byte in
                isField ? endsLine(byte) : endsValue(byte)
            } ?? text.count)
    }

    /// A value may stand on the next line, if that is indented.
    private func skipToValue(_ index: Int) -> Int {
        let start = skipSpaces(index)
        var line = start
        if line < text.count, text[line] == 0x0D { line += 1 }
        guard line < text.count, text[line] == 0x0A else { return start }
        let next = skipSpaces(line + 1)
        return next > line + 1 ? next : start
    }

    func isNameByte(_ byte: UInt8) -> Bool {
        Words.folded(byte) != nil || byte == 0x5F || byte == 0x2D
    }

    /// Behind a quote, with or without a backslash before it.
    private func skipQuote(_ index: Int) -> Int {
        var index = index
        let start = index
        if index < text.count, text[index] == 0x5C { index += 1 }
        guard index < text.count, text[index] == 0x22 || text[index] == 0x27 else { return start }
        return index + 1
    }

    /// Where the quoted value ends. In a text within a text the quotes themselves are escaped.
    private func closingQuote(from start: Int, isEscaped: Bool) -> Int {
        let quote = text[start - 1]
        var index = start
        while index < text.count, text[index] != quote {
            let isPair = text[index] == 0x5C && index + 1 < text.count
            if isEscaped, isPair, text[index + 1] == quote { return index }
            index += isPair ? 2 : 1
        }
        return min(index, text.count)
    }

    func skipSpaces(_ index: Int) -> Int {
        var index = index
        while index < text.count, text[index] == 0x20 || text[index] == 0x09 { index += 1 }
        return index
    }

    private func endsLine(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D || byte == 0x22 || byte == 0x27
    }

    func endsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x20, 0x22, 0x26, 0x27, 0x29, 0x2C, 0x3B, 0x3C, 0x3E, 0x5D, 0x7D: true
        case _: false
        }
    }

    // MARK: Credentials by their place

    /// `https://user:password@host/`, `https://token@host/`.
    private func password(behind start: Int) -> Range<Int>? {
        let end =
            text[start...].firstIndex { byte in
                byte <= 0x20 || byte == 0x2F || byte == 0x22 || byte == 0x27 || byte == 0x3F
            } ?? text.count
        guard let at = text[start..<end].lastIndex(of: 0x40) else { return nil }
        guard let colon = text[start..<at].firstIndex(of: 0x3A) else {
            // A token in place of user and password is longer than the names of most users.
            return at - start >= Self.credentialBytesMin ? start..<at : nil
        }
        return colon + 1..<at
    }

    /// What follows an authentication scheme: parameters of a challenge are shorter.
    private func scheme(_ name: StaticString, at index: Int) -> Range<Int>? {
        guard starts(name, at: index), index == 0 || !isNameByte(text[index - 1]) else {
            return nil
        }
        let first = index + name.utf8CodeUnitCount
        let start = skipSpaces(first)
        guard start > first else { return nil }
        var end = start
        while end < text.count, isCredentialByte(text[end]) { end += 1 }
        return end - start >= Self.credentialBytesMin ? start..<end : nil
    }

    private static var credentialBytesMin: Int { 12 }

    /// token68 of RFC 9110 section 11.2.
    private func isCredentialByte(_ byte: UInt8) -> Bool {
        isNameByte(byte) || byte == 0x2E || byte == 0x7E || byte == 0x2B || byte == 0x2F
            || byte == 0x3D
    }
}
