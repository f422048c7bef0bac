/// What follows from a verdict for one operation at one moment (spec section 5). A stored fact.
public struct Decision: Hashable, Sendable {
    /// Where the operation goes. `waiting` tells nothing about levels: whether it then shows as
    /// scheduled, held or ready is derived.
    @frozen
    public enum Outcome: Hashable, Sendable {
        case waiting
        case parked(Cause)
        case dead(Cause)
    }

    public var disposition: Disposition
    public var condition: Condition
    public var action: Action
    /// The wait the server asked for, as told, before caps; nil: none.
    public var hint: Span?
    /// The hint was longer than the policy's `hintMax` and was cut to it.
    public var hintClamped: Bool
    public var rule: RuleIndex
    public var policy: PolicyIndex
    public var outcome: Outcome
    /// When the back-off ends, for `waiting`.
    public var due: Instant?
    /// `due` follows a date the server named.
    public var dueWall: WallTime?
    /// The delay drawn, jitter included.
    public var delay: Span

    public init(
        disposition: Disposition, condition: Condition, action: Action, hint: Span?,
        hintClamped: Bool, rule: RuleIndex, policy: PolicyIndex, outcome: Outcome, due: Instant?,
        dueWall: WallTime?, delay: Span
    ) {
        self.disposition = disposition
        self.condition = condition
        self.action = action
        self.hint = hint
        self.hintClamped = hintClamped
        self.rule = rule
        self.policy = policy
        self.outcome = outcome
        self.due = due
        self.dueWall = dueWall
        self.delay = delay
    }
}
