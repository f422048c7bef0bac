/// How a delay is drawn around the computed back-off (taxonomy section 9, AWS simulator).
@frozen
public enum Jitter: UInt8, Sendable, CaseIterable {
    /// The back-off itself.
    case none = 0
    /// Half of it, plus U(0, half).
    case equal = 1
    /// U(0, it), not under the floor.
    case full = 2
    /// min(max, U(initial, 3 × the previous delay)), not under the floor.
    case decorrelated = 3

    public var name: StaticString {
        switch self {
        case .none: "none"
        case .equal: "equal"
        case .full: "full"
        case .decorrelated: "decorrelated"
        }
    }
}

/// What to do with a server's wait that is longer than the policy's `hintMax`.
@frozen
public enum HintOverMax: UInt8, Sendable {
    /// Come back after `hintMax`.
    case clamp = 0
    /// Give up at once: nobody would notice a wait that long (curl#7675).
    case dead = 1
}

/// When to try again and when to give up. The defaults are spec section 6.
public struct Policy: Hashable, Sendable {
    public var name: String
    /// Delay after the first failure.
    public var initial = Span.seconds(2)
    /// Growth per attempt in thousandths: 2000 doubles.
    public var factorMilli: Int64 = 2_000
    /// Largest delay before jitter.
    public var max = Span.hours(1)
    public var jitter = Jitter.full
    /// Smallest delay after jitter.
    public var floor = Span.seconds(1)
    /// An explicit list of delays in place of initial × factor; its last one repeats.
    public var steps: [Span] = []
    /// Attempts in all, the told failure counted.
    public var attemptsMax: UInt16 = 20
    /// Age since the first failure beyond which a failing attempt is the last.
    public var ageMax = Span.days(5)
    public var hintMax = Span.hours(6)
    public var hintOverMax = HintOverMax.clamp
    /// A success that lasted that long resets the back-off (kind `unit`).
    public var resetAfter = Span.minutes(10)
    /// Longest wait for a signal, then parked.
    public var holdMax = Span.days(7)
    /// Longest time parked, then dead.
    public var parkMax = Span.days(30)
    /// Lost leases before an operation is parked.
    public var recoveriesMax: UInt8 = 5
    /// How long a lease stands without a word from its worker.
    public var visibility = Span.seconds(60)

    public init(name: String) {
        self.name = name
    }

    public static let defaultName = "default"
    public static let standard = Policy(name: defaultName)
}
