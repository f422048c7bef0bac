/// Roughly how many bytes an operation keeps on disk, in one byte: payload and failures stay there,
/// and what is kept for each in memory is little.
///
/// A floating-point number with three bits of fraction: at most an eighth too much when it is
/// taken of a number.
@frozen
public struct StoredSize: Hashable, Sendable {
    /// What is written into the record; 0: the size was not noted.
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// An operation of a store that did not note sizes.
    public static let unknown = StoredSize(rawValue: 0)

    /// The smallest size that is no less than so many bytes.
    @inlinable
    public init(bytes: Int) {
        let units = UInt64(clamping: (bytes + 31) / 32)
        guard units > 8 else {
            rawValue = 1
            return
        }
        let exponent = 60 - units.leadingZeroBitCount
        let fraction = (units + (1 << UInt64(exponent)) - 1) >> UInt64(exponent)
        // A fraction of 16 is one of 8 with the next exponent.
        rawValue = UInt8(clamping: exponent * 8 + Int(fraction) - 8 + 1)
    }

    /// How many bytes it stands for: at least 256, and 0 where nothing was noted.
    @inlinable
    public var bytes: Int {
        guard rawValue > 0 else { return 0 }
        let number = Int(rawValue) - 1
        return (8 + number & 7) << (number >> 3 + 5)
    }

    /// With so many bytes more, to the nearest: many small ones added one by one come to what they
    /// are together, or little less.
    public func adding(_ count: Int) -> StoredSize {
        let sum = bytes + count
        let above = StoredSize(bytes: sum)
        guard above.rawValue > 1 else { return above }
        let below = StoredSize(rawValue: above.rawValue - 1)
        return above.bytes - sum <= sum - below.bytes ? above : below
    }
}
