import RetryModel

/// Tokens in thousandths, which come back with time.
struct TokenBucket: Hashable {
    private(set) var storedMilli: Int64
    private(set) var at: Instant

    init(milli: Int64, at moment: Instant) {
        storedMilli = milli
        at = moment
    }

    /// What is in it: `budgetPerSecond` has come back each second, and never more than fits.
    func milli(_ policy: DestinationPolicy, at now: Instant) -> Int64 {
        let most = policy.budgetMax * 1_000
        let elapsed = max(now - at, .zero)
        // tokens a second = thousandths of tokens a millisecond = 1/1000 of them a microsecond.
        let back = (elapsed * policy.budgetPerSecond).usec / 1_000
        return min(Span(usec: storedMilli) + Span(usec: back), Span(usec: most)).usec
    }

    /// Takes tokens or, below zero, gives some back. It never holds less than none.
    mutating func take(_ tokens: Int64, _ policy: DestinationPolicy, at now: Instant) {
        let most = policy.budgetMax * 1_000
        storedMilli = min(max(milli(policy, at: now) - tokens * 1_000, 0), most)
        at = max(at, now)
    }

    /// The time line was moved.
    mutating func move(by span: Span) { at = at + span }

    /// When it will hold that much, by time alone; nil: never.
    func moment(ofMilli wanted: Int64, _ policy: DestinationPolicy, from now: Instant) -> Instant? {
        let missing = wanted - milli(policy, at: now)
        if missing <= 0 { return now }
        guard policy.budgetPerSecond > 0 else { return nil }
        let usec = (missing * 1_000 + policy.budgetPerSecond - 1) / policy.budgetPerSecond
        return now + Span(usec: usec)
    }
}
