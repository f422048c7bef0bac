import JSON

/// Which members, header fields, parameters and flags hold secrets.
///
/// A name is secret when it is one of the header fields that carry credentials, or when the word
/// token, secret, password, passwd or passphrase occurs in it, or when it is one of a few fixed
/// names. Case, hyphens and underscores count for nothing. Names that only speak *about* tokens
/// (`token_type`, `x-ratelimit-remaining-tokens`) and OAuth's error codes are not secret.
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
        guard argument.first == 0x2D, !argument.contains(0x3D) else { return false }
        return isSecret(argument)
    }

    /// A flag whose value is `user:password`.
    static func isUserFlag(_ argument: UnsafeBufferPointer<UInt8>) -> Bool {
        TextMatch.isEqual(argument, "-u") || TextMatch.isEqual(argument, "--user")
            || TextMatch.isEqual(argument, "-U") || TextMatch.isEqual(argument, "--proxy-user")
    }

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
        "privatekey", "clientassertion",
    ]

    private static let words: [StaticString] = [
        "token", "secret", "password", "passwd", "passphrase",
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
