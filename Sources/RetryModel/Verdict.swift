/// What a failure means (spec section 5).
@frozen
public enum Disposition: UInt8, Sendable, CaseIterable {
    /// Try again, when the condition allows and the back-off has passed.
    case retry = 0
    /// The whole flow must be started anew; only the owner can.
    case newFlow = 1
    /// The user must sign in again.
    case reauthenticate = 2
    /// Trying again cannot help.
    case permanent = 3

    public var name: StaticString {
        switch self {
        case .retry: "retry"
        case .newFlow: "new-flow"
        case .reauthenticate: "reauthenticate"
        case .permanent: "permanent"
        }
    }
}

/// What must hold, besides the back-off, before a `retry`.
@frozen
public enum Condition: Hashable, Sendable {
    case now
    /// The operation's scope is in the foreground.
    case whenForeground
    /// The host has a network.
    case network
    /// The owner's signal `custom:NAME` is on.
    case custom(String)
}

/// What a person must do about a permanent failure.
@frozen
public enum Action: UInt8, Sendable, CaseIterable {
    case none = 0
    case modifyConfiguration = 1
    case invalidPlatform = 2
    case introspectCause = 3

    /// The word on the wire; nil for `none`.
    public var name: StaticString? {
        switch self {
        case .none: nil
        case .modifyConfiguration: "modify-configuration"
        case .invalidPlatform: "invalid-platform"
        case .introspectCause: "introspect-cause"
        }
    }
}

/// What the failing side said about when to come back.
@frozen
public enum WaitHint: Hashable, Sendable {
    case none
    /// That long after the failure was received.
    case after(Span)
    /// Not before that date of the wall clock.
    case at(WallTime)
}

/// What the rules made of a failure document, before time, attempts and policy are looked at.
///
/// A verdict is a pure function of the document and the rules; `Decision` is what follows from it
/// for one operation at one moment.
public struct Verdict: Hashable, Sendable {
    public var disposition: Disposition
    /// Meaningful for `retry`.
    public var condition: Condition
    /// Meaningful for `permanent`.
    public var action: Action
    public var hint: WaitHint
    /// When the failure was received by whoever tells it; hints count from there. Nil: now.
    public var receivedAt: WallTime?
    /// The rule that matched, by its position in the rule set; nil when none did.
    public var rule: Int?
    /// The policy the rule asks for; nil leaves the operation's own choice.
    public var policy: String?
    /// At most that many consecutive decisions by this rule, then `repeatFallback`. 0: no limit.
    public var repeatMax: UInt8
    /// What the rule means once `repeatMax` is spent.
    public var repeatFallback: Fallback

    /// Why the verdict is not simply what the rule says.
    public var note: Note

    /// What else had a say.
    @frozen
    public enum Note: UInt8, Sendable {
        case none = 0
        /// The rule says retry, but the attempt may have taken effect and nothing proves that
        /// repeating it is safe (RFC 9110 section 9.2.2).
        case outcomeUnknown = 1
        /// Nothing known matched, and the submitter wants what is unknown retried.
        case unknownRetried = 2
        /// The failure is not an object.
        case notAnObject = 3
        /// Its causes are nested deeper than `Limits.failureDepthMax`.
        case tooDeep = 4
    }

    /// The second meaning of a rule that may only speak so often.
    @frozen
    public struct Fallback: Hashable, Sendable {
        public var disposition: Disposition
        public var action: Action

        public init(disposition: Disposition, action: Action) {
            self.disposition = disposition
            self.action = action
        }

        public static let introspect = Fallback(
            disposition: .permanent, action: .introspectCause)
    }

    public init(
        disposition: Disposition,
        condition: Condition = .now,
        action: Action = .none,
        hint: WaitHint = .none,
        receivedAt: WallTime? = nil,
        rule: Int? = nil,
        policy: String? = nil,
        repeatMax: UInt8 = 0,
        repeatFallback: Fallback = .introspect,
        note: Note = .none
    ) {
        self.disposition = disposition
        self.condition = condition
        self.action = action
        self.hint = hint
        self.receivedAt = receivedAt
        self.rule = rule
        self.policy = policy
        self.repeatMax = repeatMax
        self.repeatFallback = repeatFallback
        self.note = note
    }

    /// Nothing known matched (taxonomy section 0, step 6).
    public static let unknown = Verdict(disposition: .permanent, action: .introspectCause)
}
