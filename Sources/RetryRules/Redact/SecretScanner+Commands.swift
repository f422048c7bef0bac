/// Secrets in command lines, signed URLs and key files, found by what stands before them.
extension SecretScanner {
    /// A word of a command line, in quotes or not.
    func word(from start: Int) -> Range<Int>? {
        guard start < text.count else { return nil }
        let quote = text[start]
        if quote == 0x22 || quote == 0x27 {
            let end = text[(start + 1)...].firstIndex(of: quote) ?? text.count
            return start + 1..<end
        }
        var end = start
        while end < text.count, !endsValue(text[end]) { end += 1 }
        return start..<end
    }

    /// `-u user:password`, `--user=user:password`: the value has a colon.
    func valueOfFlag(at index: Int) -> Range<Int>? {
        guard index == 0 || text[index - 1] <= 0x20 else { return nil }
        for flag in SecretNames.userFlags where starts(flag, at: index) {
            let end = index + flag.utf8CodeUnitCount
            guard end < text.count else { return nil }
            let isLong = flag.utf8CodeUnitCount > 2
            let start = isLong && text[end] == 0x3D ? end + 1 : skipSpaces(end)
            guard start > end || !isLong, let found = word(from: start) else { return nil }
            // Behind the last byte a colon is only a mark of the sentence.
            return text[found].dropLast().contains(0x3A) ? found : nil
        }
        return nil
    }

    /// `sshpass -p password` (sshpass(1)), whatever options stand between.
    func passwordOfSshpass(at index: Int) -> Range<Int>? {
        var index = skipSpaces(index + 7)
        while index + 1 < text.count, text[index] == 0x2D {
            if text[index + 1] == 0x70 { return word(from: skipSpaces(index + 2)) }
            while index < text.count, !endsValue(text[index]) { index += 1 }
            index = skipSpaces(index)
        }
        return nil
    }

    /// `?sig=…`, `&X-Amz-Signature=…`: who has the URL may do what it says.
    func signature(at index: Int) -> Range<Int>? {
        let isShort = starts("sig=", at: index)
        guard isShort || starts("signature=", at: index) else { return nil }
        var first = index
        while first > 0, isNameByte(text[first - 1]) { first -= 1 }
        guard first > 0, text[first - 1] == 0x3F || text[first - 1] == 0x26,
            !isShort || first == index
        else { return nil }
        let start = index + (isShort ? 4 : 10)
        var end = start
        while end < text.count, !endsValue(text[end]), text[end] != 0x23 { end += 1 }
        return start..<end
    }

    /// What stands between the lines of a private key (RFC 7468).
    func privateKey(at index: Int) -> Range<Int>? {
        guard starts("-----BEGIN ", at: index) else { return nil }
        // The label is short: `ENCRYPTED PRIVATE KEY`, `OPENSSH PRIVATE KEY`.
        var start = index + 11
        let labelEnd = min(start + 32, text.count)
        while start < labelEnd, !starts("PRIVATE KEY-----", at: start) { start += 1 }
        guard start < labelEnd else { return nil }
        start += 16
        var end = start
        while end < text.count, !starts("-----END ", at: end) { end += 1 }
        return start..<end
    }
}
