import CLinux
import Glibc

/// The only randomness of the program: seeds for generators that are then passed along, so that
/// every draw can be repeated in a test.
package enum Entropy {
    /// 64 random bits from the kernel, good enough for keys of hash functions.
    package static func seed() -> UInt64 {
        var seed: UInt64 = 0
        // getrandom(2): up to 256 bytes are never cut short once the pool is ready, and without
        // GRND_NONBLOCK the call waits for that.
        let (count, code) = withUnsafeMutableBytes(of: &seed) { bytes in
            Syscalls.uninterrupted { CLinux_getrandom(bytes.baseAddress, bytes.count) }
        }
        precondition(
            count == MemoryLayout<UInt64>.size, "getrandom: \(SystemError.reason(code))")
        return seed
    }
}
