import RetryModel

/// Counts the failures that are told at debug only, by destination, for one entry per destination
/// and ten minutes.
struct FailureSummary {
    /// What is told of a destination.
    struct Line: Hashable {
        /// Nil: of operations that name none, and of destinations beyond the most that are told
        /// apart.
        var destination: String?
        var failures: UInt64
    }

    static let interval = Span.minutes(10)
    /// Names come from everybody: so many are told apart.
    static let destinationsMax = 256

    private var counts: [String: UInt64] = [:]
    private var others: UInt64 = 0
    /// When the first failure since the last summary was counted; nil: there was none.
    private(set) var since: Instant?

    /// When the next summary is due.
    var due: Instant? { since.map { $0 + FailureSummary.interval } }

    mutating func count(_ destination: String?, at now: Instant) {
        if since == nil { since = now }
        if let destination,
            counts[destination] != nil || counts.count < FailureSummary.destinationsMax
        {
            counts[destination, default: 0] += 1
        } else {
            others += 1
        }
    }

    /// What there was since the last time, most failures first.
    mutating func take() -> [Line] {
        var lines = counts.map { Line(destination: $0.key, failures: $0.value) }
        if others > 0 { lines.append(Line(destination: nil, failures: others)) }
        lines.sort { left, right in
            if left.failures != right.failures { return left.failures > right.failures }
            return left.destination ?? "" < right.destination ?? ""
        }
        self = FailureSummary()
        return lines
    }
}
