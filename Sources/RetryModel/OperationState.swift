/// Where an operation stands. docs/STATES.md has the table of states × events, every cell filled.
///
/// `scheduled`, `held` and `ready` are three faces of one stored state, *waiting*: which face an
/// operation shows follows from its due time, the level of the signal it waits for and the holds
/// in force, so it is derived after a restart and costs no write when it changes.
///
/// A late report whose token is still the newest moves every state but the two ended ones as it
/// would have moved `leased`; the lists below leave that out.
@frozen
public enum OperationState: UInt8, Sendable, CaseIterable {
    /// A time must come.
    ///
    /// Can transition to: held (its level fell), ready (its time came, retried), leased (its lost
    /// lease taken up), parked, dead (decided anew), cancelled.
    case scheduled = 0
    /// A signal must come.
    ///
    /// Can transition to: scheduled (the signal came before the back-off ended, decided anew),
    /// ready (the signal came, retried), leased (its lost lease taken up), parked (held too long),
    /// dead (decided anew), cancelled.
    case held = 1
    /// May run, waits for a worker.
    ///
    /// Can transition to: leased, held (its level fell), scheduled, parked, dead (replaced,
    /// decided anew), cancelled.
    case ready = 2
    /// An attempt runs.
    ///
    /// Can transition to: succeeded, scheduled, held, parked, dead (reported, replaced), ready,
    /// held, parked (lease lost, released), cancelled.
    case leased = 3
    /// The owner or a person must act.
    ///
    /// Can transition to: scheduled, held, ready (resolved, retried, replaced), leased (its lost
    /// lease taken up), dead (parked too long, decided anew), cancelled.
    case parked = 4
    /// Given up: permanent, exhausted or too old. Kept, listed, revivable.
    ///
    /// Can transition to: scheduled, held, ready (revived, retried), parked (decided anew),
    /// cancelled; removed when kept long enough.
    case dead = 5
    /// Ended well. Removed when kept long enough.
    case succeeded = 6
    /// Ended by the owner or an admin. Removed when kept long enough.
    case cancelled = 7

    /// The word on the wire and in lists.
    public var name: StaticString {
        switch self {
        case .scheduled: "scheduled"
        case .held: "held"
        case .ready: "ready"
        case .leased: "leased"
        case .parked: "parked"
        case .dead: "dead"
        case .succeeded: "succeeded"
        case .cancelled: "cancelled"
        }
    }

    /// Whether the operation can still be tried without anybody reviving it.
    public var isLive: Bool {
        switch self {
        case .scheduled, .held, .ready, .leased, .parked: true
        case .dead, .succeeded, .cancelled: false
        }
    }

    /// One of the three faces of the stored state *waiting*.
    @inlinable
    public var isWaiting: Bool {
        switch self {
        case .scheduled, .held, .ready: true
        case .leased, .parked, .dead, .succeeded, .cancelled: false
        }
    }
}

/// Why an operation is parked or dead.
@frozen
public enum Cause: UInt8, Sendable, CaseIterable {
    case none = 0

    // Parked.
    /// The flow must be started anew by the owner (`Resolve`).
    case newFlow = 1
    /// The user must sign in again and the operation names no credential to hold.
    case reauthenticate = 2
    /// A lease was lost and the operation was declared not idempotent.
    case outcomeUnknown = 3
    /// Its attempts lost their worker too often (`max-recoveries`).
    case recoveries = 4
    /// The signal did not come within `max-hold`.
    case heldTooLong = 5
    /// It keeps failing for want of the foreground although the foreground is there.
    case foregroundLoop = 6

    // Dead.
    /// The failure is permanent.
    case permanent = 16
    /// `max-attempts` attempts failed.
    case attemptsExhausted = 17
    /// The first failure is longer ago than `max-age`.
    case tooOld = 18
    /// Its own deadline would pass before the next attempt.
    case deadline = 19
    /// The server asked for a longer wait than the policy's hint cap, and the policy says `dead`.
    case hintBeyondCap = 20
    /// Nobody acted within `max-park`.
    case parkedTooLong = 21

    /// The word on the wire and in lists.
    public var name: StaticString {
        switch self {
        case .none: "none"
        case .newFlow: "new-flow"
        case .reauthenticate: "reauthenticate"
        case .outcomeUnknown: "outcome-unknown"
        case .recoveries: "too-many-recoveries"
        case .heldTooLong: "held-too-long"
        case .foregroundLoop: "foreground-loop"
        case .permanent: "permanent"
        case .attemptsExhausted: "attempts-exhausted"
        case .tooOld: "too-old"
        case .deadline: "deadline"
        case .hintBeyondCap: "hint-beyond-cap"
        case .parkedTooLong: "parked-too-long"
        }
    }
}
