/// Names that many hands spell in many ways: `whenAppInForeground`, `WHEN_APP_IN_FOREGROUND`.
enum Words {
    /// The ASCII letters and digits of a text, lower case: what counts in a word.
    static func folded(_ text: [UInt8]) -> [UInt8] {
        text.compactMap(folded)
    }

    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8? {
        let lower = byte | 0x20
        if lower &- 0x61 < 26 { return lower }
        return byte &- 0x30 < 10 ? byte : nil
    }

    /// Whether a text is that word. The word is folded already.
    static func equal(_ text: UnsafeBufferPointer<UInt8>, _ word: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        var matched = 0
        for byte in text {
            guard let letter = folded(byte) else { continue }
            guard matched < word.count, word[matched] == letter else { return false }
            matched += 1
        }
        return matched == word.count
    }

    /// Hash of the folded text; equal words have equal hashes.
    static func hash(_ text: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
        // FNV-1a. Only few facts are words, and they are short.
        var hash = 0xCBF2_9CE4_8422_2325 ^ seed
        for byte in text {
            guard let letter = folded(byte) else { continue }
            hash = (hash ^ UInt64(letter)) &* 0x100_0000_01B3
        }
        return hash
    }
}
