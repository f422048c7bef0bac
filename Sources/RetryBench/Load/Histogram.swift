/// How often each duration was seen: exact below 128 µs, within 1 % above.
///
/// Recording costs an addition, so that measuring does not take from what is measured.
struct Histogram {
    /// Buckets for each power of two.
    private static let stepBits = 6
    private static let steps = 1 << stepBits

    private var counts = [UInt64](repeating: 0, count: (64 - stepBits) * steps)
    private(set) var count: UInt64 = 0
    private(set) var maxUsec: Int64 = 0

    mutating func record(usec: Int64) {
        counts[Self.bucket(max(0, usec))] += 1
        count += 1
        maxUsec = max(maxUsec, usec)
    }

    /// The duration that this part of all stayed below.
    ///
    /// - Parameter share: 0.5 for the median.
    func usec(at share: Double) -> Double {
        let rank = UInt64(Double(count) * share)
        var seen: UInt64 = 0
        for (bucket, number) in counts.enumerated() {
            seen += number
            if seen > rank { return Self.middle(bucket) }
        }
        return Double(maxUsec)
    }

    private static func bucket(_ value: Int64) -> Int {
        let value = Int(value)
        guard value >= 2 * steps else { return value }
        // The leading bit and the `stepBits` behind it.
        let shift = Int.bitWidth - value.leadingZeroBitCount - 1 - stepBits
        return (shift << stepBits) + value >> shift
    }

    private static func middle(_ bucket: Int) -> Double {
        guard bucket >= 2 * steps else { return Double(bucket) }
        let shift = bucket >> stepBits - 1
        let low = (bucket - shift << stepBits) << shift
        return Double(low) + Double((1 << shift) - 1) / 2
    }
}
