import Testing

@testable import RetryDaemon

/// Against the reference implementation (github.com/veorq/SipHash, vectors.h, vectors_sip64): key
/// 00 01 … 0f, message 00 01 … of growing length.
@Suite
struct SipHashTests {
    /// The key's bytes as two little-endian words.
    private static let key0: UInt64 = 0x0706_0504_0302_0100
    private static let key1: UInt64 = 0x0f0e_0d0c_0b0a_0908

    /// Results as the reference lists them: eight bytes, the least significant first.
    private static let vectors: [(length: Int, bytes: [UInt8])] = [
        (0, [0x31, 0x0e, 0x0e, 0xdd, 0x47, 0xdb, 0x6f, 0x72]),
        (1, [0xfd, 0x67, 0xdc, 0x93, 0xc5, 0x39, 0xf8, 0x74]),
        (2, [0x5a, 0x4f, 0xa9, 0xd9, 0x09, 0x80, 0x6c, 0x0d]),
        (3, [0x2d, 0x7e, 0xfb, 0xd7, 0x96, 0x66, 0x67, 0x85]),
        (7, [0x37, 0xd1, 0x01, 0x8b, 0xf5, 0x00, 0x02, 0xab]),
        (8, [0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93]),
        (9, [0xb0, 0xe4, 0xa9, 0x0b, 0xdf, 0x82, 0x00, 0x9e]),
        (15, [0xe5, 0x45, 0xbe, 0x49, 0x61, 0xca, 0x29, 0xa1]),
        (16, [0xdb, 0x9b, 0xc2, 0x57, 0x7f, 0xcc, 0x2a, 0x3f]),
        (63, [0x72, 0x45, 0x06, 0xeb, 0x4c, 0x32, 0x8a, 0x95]),
    ]

    @Test(arguments: vectors.indices)
    func agreesWithTheReference(index: Int) {
        let vector = SipHashTests.vectors[index]
        var hash = SipHash(key0: SipHashTests.key0, key1: SipHashTests.key1)
        hash.combine((0..<vector.length).map { UInt8($0) })
        let expected = vector.bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        #expect(hash.finish() == expected)
    }

    @Test
    func numbersAreFourBytesTheLeastSignificantFirst() {
        var numbers = SipHash(key0: 1, key1: 2)
        numbers.combine(0x0403_0201 as UInt32)
        var bytes = SipHash(key0: 1, key1: 2)
        bytes.combine([1, 2, 3, 4])
        #expect(numbers.finish() == bytes.finish())
    }

    @Test
    func theKeyCounts() {
        var one = SipHash(key0: 1, key1: 2)
        one.combine("key".utf8)
        var other = SipHash(key0: 2, key1: 2)
        other.combine("key".utf8)
        #expect(one.finish() != other.finish())
    }
}
