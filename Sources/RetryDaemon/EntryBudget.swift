import RetryModel

/// Bounds how many entries of a kind are written: so many at once, then so many a second.
struct EntryBudget {
    private let burst: Int64
    private let intervalUsec: Int64
    private var tokens: Int64
    private var filledAt = Instant(usec: 0)
    private var suppressed: UInt64 = 0

    init(burst: Int64, perSecond: Int64) {
        self.burst = burst
        intervalUsec = 1_000_000 / perSecond
        tokens = burst
    }

    /// Whether another entry may be written.
    mutating func take(at now: Instant) -> Bool {
        let earned = (now - filledAt).usec / intervalUsec
        if earned > 0 {
            tokens = min(burst, tokens + min(earned, burst))
            // The part of an interval that has passed counts towards the next one.
            filledAt = filledAt + Span(usec: earned * intervalUsec)
        }
        guard tokens > 0 else {
            suppressed += 1
            return false
        }
        tokens -= 1
        return true
    }

    /// Entries that were not written since the last call.
    mutating func takeSuppressed() -> UInt64 {
        defer { suppressed = 0 }
        return suppressed
    }
}
