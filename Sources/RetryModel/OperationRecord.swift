/// What the store keeps about an operation and the core works on: everything that changes often.
///
/// Payload, failures, key text and tags are the body and never come into memory with it.
public struct OperationRecord: Hashable, Sendable {
    public var id: OperationID
    /// `scheduled` stands for all three faces of *waiting*.
    public var state: OperationState
    public var cause: Cause
    public var lane: LaneIndex
    /// Higher runs first.
    public var priority: Int8
    /// Declared by the owner: nil when it said nothing.
    public var isIdempotent: Bool?
    /// Unknown failures are retried (`unknown=retry`).
    public var retriesUnknown: Bool
    /// Waiting: when the back-off ends. Leased: when the lease runs out. Parked, dead and ended:
    /// when it moves on by itself.
    public var due: Instant
    /// `due` came from a date the server named: it follows the wall clock.
    public var dueWall: WallTime?
    /// By the wall clock as it stood then: for people. The age is told by `firstFailedAt`.
    public var firstFailure: WallTime
    /// The same on the time line, in whole seconds: a step of the wall clock makes nothing too old.
    /// Nil: stored before it was kept.
    public var firstFailedAt: Instant?
    /// When the stored state last changed.
    public var since: WallTime
    /// The owner's own last moment for an attempt to begin.
    public var deadline: WallTime?
    /// Keyed hash over owner, queue and key; 0: no key.
    public var keyHash: UInt64
    /// The signal its last decision asked for; nil: none.
    public var condition: SignalIndex?
    /// Attempts that ended, well or not; the told failure is the first.
    public var attempts: UInt16
    public var deferrals: UInt16
    /// Leases lost. Raised when a lease is given and lowered when it ends well, so that a crash
    /// in between counts.
    public var recoveries: UInt8
    /// What it keeps on disk: payload, failures and the like.
    public var size: StoredSize
    /// Consecutive decisions by the same rule.
    public var ruleRepeats: UInt8
    /// Failures for want of the foreground while it was there.
    public var foregroundRepeats: UInt8
    public var rule: RuleIndex
    /// The policy its last decision used.
    public var policy: PolicyIndex
    /// The delay last drawn, for decorrelated jitter; milliseconds, saturating.
    public var previousDelayMs: UInt32
    /// The newest token given.
    public var token: LeaseToken
    /// The attempt of that token has not been reported on: a late report still counts, also after
    /// the lease was lost.
    public var isTokenOpen: Bool
    /// Who runs it, while leased. Afterwards, until its report: who ran it and may still report,
    /// or is to be told that it is too late.
    public var lease: LeaseRecord?

    public init(id: OperationID, lane: LaneIndex, firstFailure: WallTime, due: Instant) {
        self.id = id
        state = .scheduled
        cause = .none
        self.lane = lane
        priority = 0
        retriesUnknown = false
        self.due = due
        self.firstFailure = firstFailure
        since = firstFailure
        keyHash = 0
        attempts = 0
        deferrals = 0
        recoveries = 0
        size = .unknown
        ruleRepeats = 0
        foregroundRepeats = 0
        rule = 0
        policy = 0
        previousDelayMs = 0
        token = LeaseToken(rawValue: 0)
        isTokenOpen = false
    }
}

/// The right to run one attempt, as it is stored.
@frozen
public struct LeaseRecord: Hashable, Sendable {
    public var holder: LeaseHolder
    /// How long it stands without a word.
    public var visibility: Span
    public var startedAt: WallTime
    /// Generation of the operation's credential when the attempt began.
    public var credentialGeneration: UInt32
    /// The foreground was there when the attempt began.
    public var hadForeground: Bool

    public init(
        holder: LeaseHolder, visibility: Span, startedAt: WallTime, credentialGeneration: UInt32,
        hadForeground: Bool
    ) {
        self.holder = holder
        self.visibility = visibility
        self.startedAt = startedAt
        self.credentialGeneration = credentialGeneration
        self.hadForeground = hadForeground
    }
}
