import JSON

/// Which members, header fields, parameters and flags hold secrets.
///
/// A name is secret when it is one of the header fields that carry credentials, or when the word
/// token, secret, password, passwd, passphrase or apikey occurs in it, or when it is one of a few
/// fixed names. Case, hyphens and underscores count for nothing. Names that only speak *about*
/// tokens (`token_type`, `x-ratelimit-remaining-tokens`) and OAuth's error codes are not secret.
enum SecretNames {
    static func isSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard hasLettersOfOne(name) else { return false }
        guard name.count <= nameBytesMax else { return occursWord(in: name) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: nameBytesMax) { memory in
            var count = 0
            for byte in name {
                guard let letter = Words.folded(byte) else { continue }
                memory[count] = letter
                count += 1
            }
            let folded = UnsafeBufferPointer(rebasing: memory[..<count])
            if isOne(of: exactNames, folded) { return true }
            guard occursWord(in: folded) else { return false }
            return !isHarmless(folded)
        }
    }

    /// A credential field: what follows it goes to the end of the line.
    static func isField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        isOne(of: fieldNames, name, ignoringHyphens: true)
    }

    /// A flag of a command whose value follows as the next argument.
    static func isFlag(_ argument: UnsafeBufferPointer<UInt8>) -> Bool {
        // With a value of its own it says nothing about the next argument.
        guard argument.first == 0x2D, !argument.contains(where: { $0 == 0x3D || $0 == 0x3A }) else {
            return false
        }
        return isSecret(argument)
    }

    /// A flag whose value is `user:password`.
    static func isUserFlag(_ argument: UnsafeBufferPointer<UInt8>) -> Bool {
        userFlags.contains { TextMatch.isEqual(argument, $0) }
    }

    /// A flag of curl whose value is a cookie, `name=value`.
    static func isCookieFlag(_ argument: UnsafeBufferPointer<UInt8>) -> Bool {
        TextMatch.isEqual(argument, "-b") || TextMatch.isEqual(argument, "--cookie")
    }

    /// Where the value begins in an argument that has flag and value together, such as
    /// `-uname:password`, `--user=name:password` or `-bname=value`; nil: it is none of these.
    static func attachedSecret(_ argument: UnsafeBufferPointer<UInt8>) -> Int? {
        guard argument.count > 3, argument[0] == 0x2D else { return nil }
        if argument[1] != 0x2D {
            switch argument[1] {
            case 0x75, 0x55: return argument[2...].contains(0x3A) ? 2 : nil  // -u, -U, with :
            case 0x62: return argument[2...].contains(0x3D) ? 2 : nil  // -b, with =
            case _: return nil
            }
        }
        guard let equals = argument.firstIndex(of: 0x3D) else { return nil }
        let flag = UnsafeBufferPointer(rebasing: argument[..<equals])
        let isSecret =
            (isUserFlag(flag) && argument[(equals + 1)...].contains(0x3A)) || isCookieFlag(flag)
        return isSecret ? equals + 1 : nil
    }

    /// Longer ones first where one begins with another.
    static let userFlags: [StaticString] = ["--proxy-user", "--user", "-u", "-U"]

    // MARK: Letters

    /// Whether a name has all letters of one of the words, in any order: few harmless names do.
    private static func hasLettersOfOne(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let letters = letters(of: name)
        return wordLetters.contains { $0 & ~letters == 0 }
    }

    private static let wordLetters = (exactNames + words).map { word in
        letters(
            of: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// A bit for each letter. Other bytes share bits with letters; a bit too much costs time only.
    private static func letters(of name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var letters: UInt32 = 0
        for byte in name { letters |= 1 &<< UInt32((byte | 0x20) &- 0x61) }
        return letters
    }

    // MARK: Lists

    private static var nameBytesMax: Int { 256 }

    private static let fieldNames: [StaticString] = [
        "authorization", "proxyauthorization", "cookie", "setcookie",
    ]

    private static let exactNames: [StaticString] = [
        "authorization", "proxyauthorization", "cookie", "setcookie", "apikey", "xapikey",
        "privatekey", "clientassertion", "pwd",
    ]

    private static let words: [StaticString] = [
        "token", "secret", "password", "passwd", "passphrase", "apikey",
    ]

    /// Ends of names that say what kind a token is or where it comes from.
    private static let harmlessEnds: [StaticString] = [
        "tokentype", "tokenkind", "tokentypehint", "tokenendpoint", "tokenmanager",
    ]

    /// Error codes of OAuth (RFC 6750, RFC 7009, RFC 8628).
    private static let harmlessNames: [StaticString] = ["invalidtoken", "expiredtoken"]

    static func occursWord(in name: UnsafeBufferPointer<UInt8>) -> Bool {
        words.contains { word in TextMatch.find(word, in: name) != nil }
    }

    private static func isHarmless(_ folded: UnsafeBufferPointer<UInt8>) -> Bool {
        if isOne(of: harmlessNames, folded) { return true }
        if TextMatch.find("ratelimit", in: folded) != nil { return true }
        return harmlessEnds.contains { end in
            let count = end.utf8CodeUnitCount
            guard folded.count >= count else { return false }
            return TextMatch.isEqual(
                UnsafeBufferPointer(rebasing: folded[(folded.count - count)...]), end)
        }
    }

    private static func isOne(
        of names: [StaticString], _ folded: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        names.contains { name in TextMatch.isEqual(folded, name) }
    }

    private static func isOne(
        of names: [StaticString], _ name: UnsafeBufferPointer<UInt8>, ignoringHyphens: Bool
    ) -> Bool {
        names.contains { candidate in
            let word = UnsafeBufferPointer(
                start: candidate.utf8Start, count: candidate.utf8CodeUnitCount)
            return Words.equal(name, word)
        }
    }
}
