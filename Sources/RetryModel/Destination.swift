/// A remote party as breakers, budgets and limits know it.
public struct DestinationName: Hashable, Sendable {
    public var name: String
    /// Whose it is; nil: all users of the host share it.
    public var owner: UserID?

    public init(name: String, owner: UserID?) {
        self.name = name
        self.owner = owner
    }
}

/// How one destination is spared. The defaults and their sources are those of docs/STATES.md.
public struct DestinationPolicy: Hashable, Sendable {
    /// Attempts at the same time; 0: as many as the workers make.
    public var concurrencyMax = 0
    /// Tokens the budget holds. 500, as in AWS's SDKs.
    public var budgetMax: Int64 = 500
    /// Tokens that come back in a second by themselves: ten attempts, Finagle's floor.
    public var budgetPerSecond: Int64 = 50
    /// Tokens an attempt takes. 5, as in AWS's SDKs.
    public var attemptCost: Int64 = 5
    /// Tokens an attempt whose lease ran out has taken in all: AWS's SDKs let a time-out cost 10.
    public var lostCost: Int64 = 10
    /// Tokens a success brings besides what its attempt took: a fifth of an attempt, as Finagle
    /// allows retries for 20 % of the requests.
    public var successBonus: Int64 = 1
    /// Failures in a row that open the breaker; 0: it never opens. 5, as Finagle's failure
    /// accrual.
    public var failuresMax: UInt16 = 5
    /// How long the breaker stays open the first time; doubles with each probe that fails.
    public var openFirst = Span.seconds(5)
    public var openMax = Span.minutes(5)

    public init() {}

    public static let standard = DestinationPolicy()
}

/// Which destinations there are policies for, and which all users of the host share.
public struct DestinationSettings: Hashable, Sendable {
    public var standard = DestinationPolicy.standard
    public var named: [String: DestinationPolicy] = [:]
    /// Besides those of kind `http`, which are shared always.
    public var shared: Set<String> = []

    public init() {}

    public func policy(of name: String) -> DestinationPolicy { named[name] ?? standard }

    /// Whose destination a lane's is; nil: the lane names none.
    public func name(for lane: Lane) -> DestinationName? {
        lane.destination.map { name in
            let isShared = lane.kind == .http || shared.contains(name)
            return DestinationName(name: name, owner: isShared ? nil : lane.owner)
        }
    }
}

/// Whether a destination is tried at all.
@frozen
public enum BreakerState: UInt8, Sendable, CaseIterable {
    /// It works as far as is known.
    case closed = 0
    /// It failed too often: nothing is tried for a while.
    case open = 1
    /// The while has passed: one attempt may show whether it works again.
    case halfOpen = 2

    /// The word on the wire and in lists.
    public var name: StaticString {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        }
    }
}

/// What is stored of a destination: a small row, written when it changes materially.
public struct DestinationRecord: Hashable, Sendable {
    public var name: DestinationName
    public var breaker: BreakerState
    /// When an open breaker lets a probe through.
    public var until: Instant
    /// How often the breaker opened in a row.
    public var openings: UInt8
    /// Failures in a row.
    public var failures: UInt16
    /// The attempt that is the probe.
    public var probe: OperationID?
    /// Thousandths of tokens in the budget at `tokensAt`.
    public var tokensMilli: Int64
    public var tokensAt: Instant
    /// When the breaker last changed.
    public var since: WallTime

    public init(name: DestinationName, tokensMilli: Int64, tokensAt: Instant, since: WallTime) {
        self.name = name
        breaker = .closed
        until = tokensAt
        openings = 0
        failures = 0
        self.tokensMilli = tokensMilli
        self.tokensAt = tokensAt
        self.since = since
    }
}

/// Number of a destination in the destination table.
public typealias DestinationIndex = UInt32
