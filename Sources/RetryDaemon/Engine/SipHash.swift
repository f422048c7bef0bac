/// SipHash-2-4 (Aumasson, Bernstein, 2012): a keyed 64-bit hash whose collisions cannot be made
/// without the key, so nobody can aim at another's key or slow the index down.
///
/// The standard library's hasher has a new key with every start; keys are hashed on disk too.
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var tail: UInt64 = 0
    private var count: UInt64 = 0

    init(key0: UInt64, key1: UInt64) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    mutating func combine(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count += 1
        if count & 7 == 0 {
            compress(tail)
            tail = 0
        }
    }

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { combine(byte) }
    }

    mutating func combine(_ number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) {
            combine(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
        }
    }

    /// The hash; never 0, which stands for "none" where hashes are kept.
    consuming func finish() -> UInt64 {
        compress(tail | count << 56)
        v2 ^= 0xff
        for _ in 0..<4 { round() }
        let hash = v0 ^ v1 ^ v2 ^ v3
        return hash == 0 ? 1 : hash
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 &+= v1
        v1 = rotate(v1, 13) ^ v0
        v0 = rotate(v0, 32)
        v2 &+= v3
        v3 = rotate(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotate(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotate(v1, 17) ^ v2
        v2 = rotate(v2, 32)
    }

    private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
        word << count | word >> (64 - count)
    }
}
