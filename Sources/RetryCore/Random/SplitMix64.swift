/// A seeded generator: the only source of chance in the core. The same seed gives the same draws.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): one
/// addition and two multiplications a draw, and every seed is good.
@frozen
public struct SplitMix64: Sendable {
    @usableFromInline var state: UInt64

    @inlinable
    public init(seed: UInt64) {
        state = seed
    }

    @inlinable
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A whole number from 0 to `last`, both included; 0 when `last` is negative.
    ///
    /// The high half of a 128-bit product: its bias is below 2⁻²⁰ for every delay we draw.
    @inlinable
    public mutating func number(through last: Int64) -> Int64 {
        guard last > 0 else { return 0 }
        return Int64(next().multipliedFullWidth(by: UInt64(last) + 1).high)
    }
}
