/// What made operations runnable that had been kept back together.
@frozen
public enum ReleaseTrigger: UInt8, Sendable, CaseIterable {
    /// The daemon started, or its store works again.
    case start = 0
    /// They came due while nobody was there: the host was suspended, or the loop was held up.
    case overdue = 1
    /// The wall clock was set past the dates they waited for.
    case clockStep = 2
    /// A level came on.
    case signal = 3
    /// Their destination works again.
    case breaker = 4
    /// A pause ended.
    case resume = 5
    /// Somebody wanted them tried at once.
    case retry = 6
    /// Their worker ended, or said nothing for too long.
    case leaseLost = 7

    /// The word on the wire and in the journal.
    public var name: StaticString {
        switch self {
        case .start: "start"
        case .overdue: "overdue"
        case .clockStep: "clock-step"
        case .signal: "signal"
        case .breaker: "breaker"
        case .resume: "resume"
        case .retry: "retry"
        case .leaseLost: "lease-lost"
        }
    }
}

/// What was released of a herd, and over what time.
public struct ReleaseReport: Hashable, Sendable {
    /// What began it.
    public var trigger: ReleaseTrigger
    public var count: Int
    public var over: Span
    /// The most that were released in one window of `Limits.rampWindow`.
    public var peak: Int

    public init(trigger: ReleaseTrigger, count: Int, over: Span, peak: Int) {
        self.trigger = trigger
        self.count = count
        self.over = over
        self.peak = peak
    }
}

/// How fast a herd is released.
public struct RampSettings: Hashable, Sendable {
    /// Operations in the first window.
    public var first = Limits.rampFirst
    /// Growth from one window to the next, in thousandths.
    public var growthMilli = Limits.rampGrowthMilli

    public init() {}
}
