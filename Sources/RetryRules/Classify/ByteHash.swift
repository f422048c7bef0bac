/// A fast hash of short texts for tables that are built once from trusted files.
///
/// Texts from outside are only looked up, so nobody can fill a table with collisions.
enum ByteHash {
    @inline(__always)
    static func hash(_ base: UnsafePointer<UInt8>, _ count: Int, seed: UInt64) -> UInt64 {
        hash(UnsafeRawPointer(base), count, seed, fold: 0)
    }

    /// Equal for texts that differ in ASCII case only.
    ///
    /// Bit 0x20 is set in every byte, not in letters only: that costs nothing but a few
    /// collisions, which the comparison behind the hash sorts out.
    @inline(__always)
    static func foldedHash(_ base: UnsafePointer<UInt8>, _ count: Int, seed: UInt64) -> UInt64 {
        hash(UnsafeRawPointer(base), count, seed, fold: 0x2020_2020_2020_2020)
    }

    @inline(__always)
    static func hash(_ number: Int64, seed: UInt64) -> UInt64 {
        mix(UInt64(bitPattern: number) ^ 0x9E37_79B9_7F4A_7C15, seed ^ 0xE703_7ED1_A0B4_28DB)
    }

    @inline(__always)
    private static func hash(
        _ base: UnsafeRawPointer, _ count: Int, _ seed: UInt64, fold: UInt64
    ) -> UInt64 {
        var state = seed ^ 0xA076_1D64_78BD_642F
        var first: UInt64 = 0
        var last: UInt64 = 0
        if count >= 8 {
            var offset = 0
            while count - offset > 16 {
                state = mix(
                    word(base, offset, fold) ^ state,
                    word(base, offset + 8, fold) ^ 0xE703_7ED1_A0B4_28DB)
                offset += 16
            }
            first = word(base, min(offset, count - 8), fold)
            last = word(base, count - 8, fold)
        } else if count >= 4 {
            first = half(base, 0, fold)
            last = half(base, count - 4, fold)
        } else if count > 0 {
            let bytes = base.assumingMemoryBound(to: UInt8.self)
            first = UInt64(bytes[0]) << 16 | UInt64(bytes[count >> 1]) << 8
            first = (first | UInt64(bytes[count - 1])) | (fold & 0xFF_FFFF)
        }
        return mix(first ^ state, last ^ 0x8EBC_6AF0_9C88_C6E3 ^ UInt64(count))
    }

    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int, _ fold: UInt64) -> UInt64 {
        base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | fold
    }

    @inline(__always)
    private static func half(_ base: UnsafeRawPointer, _ offset: Int, _ fold: UInt64) -> UInt64 {
        UInt64(base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) | (fold & 0xFFFF_FFFF)
    }

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
