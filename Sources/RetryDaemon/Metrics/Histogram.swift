import RetryModel

/// How long something took, counted in fixed buckets: observing allocates nothing.
struct Histogram {
    /// Upper ends of the buckets, in microseconds, ascending; what is longer is counted as well.
    let boundsUsec: [Int64]
    /// Of each bucket alone, the last one beyond all ends.
    private(set) var counts: [UInt64]
    private(set) var sumUsec: UInt64 = 0

    init(boundsUsec: [Int64]) {
        self.boundsUsec = boundsUsec
        counts = Array(repeating: 0, count: boundsUsec.count + 1)
    }

    /// From a millisecond to an hour: how long after it was due an operation is served.
    static let lateness = Histogram(
        boundsUsec: [
            1_000, 10_000, 100_000, 1_000_000, 10_000_000, 60_000_000, 600_000_000, 3_600_000_000,
        ])
    /// From half a millisecond to ten seconds: how long a caller waits until it is on disk.
    static let submit = Histogram(
        boundsUsec: [
            500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
            10_000_000,
        ])

    mutating func observe(_ span: Span, times: UInt64 = 1) {
        let usec = max(0, span.usec)
        var bucket = 0
        while bucket < boundsUsec.count, usec > boundsUsec[bucket] { bucket += 1 }
        counts[bucket] += times
        sumUsec &+= UInt64(usec) &* times
    }
}

/// Submits that are not on disk yet: how many of each turn, so that their wait can be told when
/// their batch is stored.
struct SubmitClock {
    private struct Turn {
        var batch: UInt64
        var at: Instant
        var count: UInt64
    }

    private var turns: [Turn] = []

    /// - Parameter batch: that will hold it.
    mutating func submitted(at now: Instant, in batch: UInt64) {
        if let last = turns.last, last.at == now, last.batch == batch {
            turns[turns.count - 1].count += 1
        } else {
            turns.append(Turn(batch: batch, at: now, count: 1))
        }
    }

    /// All batches up to this one are on disk.
    mutating func stored(through batch: UInt64, at now: Instant, into histogram: inout Histogram) {
        let end = turns.firstIndex { $0.batch > batch } ?? turns.count
        for turn in turns[..<end] { histogram.observe(now - turn.at, times: turn.count) }
        turns.removeFirst(end)
    }

    /// The time line was moved.
    mutating func move(by span: Span) {
        for place in turns.indices { turns[place].at = turns[place].at + span }
    }

    /// They failed.
    mutating func removeAll() {
        turns.removeAll(keepingCapacity: true)
    }
}
