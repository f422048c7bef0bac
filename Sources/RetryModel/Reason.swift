/// Why an operation does not run at this moment (spec section 7). Derived from state, never stored.
public enum Reason: Hashable, Sendable {
    /// The back-off has not ended.
    case backoffUntil(Instant)
    /// The server named the time.
    case serverSaidUntil(Instant)
    /// Its signal is off. `until`: when `max-hold` parks it.
    case signal(SignalName, until: Instant)
    /// Its sign-in was refused and not renewed. `until`: when `max-hold` parks it.
    case credentialHeld(String, until: Instant)
    /// Somebody paused it. `until`: when the pause ends by itself; nil: when somebody resumes.
    case pausedBy(UserID, reason: String, until: Instant?)
    /// Its destination failed too often. `until`: when a probe may go; nil: one is on its way or
    /// waits for a worker.
    case breakerOpen(destination: String, until: Instant?)
    /// It waits for its turn among many that became runnable together, or its destination was
    /// tried as often as it may be. `until`: when the next ones may go.
    case budgetEmpty(destination: String?, until: Instant)
    /// As many attempts at its destination run as may at the same time.
    case quota(destination: String, max: Int)
    /// A date of the wall clock decides and the kernel says that the clock is not set. `until`:
    /// what the date means by the clock as it stands.
    case clockUntrusted(until: Instant)
    /// An attempt runs. `until`: when the lease runs out without a word from its worker.
    case leasedBy(LeaseHolder, until: Instant)
    /// It may run and no worker asks for its queue.
    case noWorker(queue: String)
    /// The owner or a person must act. `until`: when `max-park` gives it up.
    case needsOwner(Cause, until: Instant)
    /// Given up.
    case dead(Cause)
    /// Ended.
    case ended

    public var code: StaticString {
        switch self {
        case .backoffUntil: "backoff-until"
        case .serverSaidUntil: "server-said-until"
        case .signal: "signal"
        case .credentialHeld: "credential-held"
        case .pausedBy: "paused-by"
        case .breakerOpen: "breaker-open"
        case .budgetEmpty: "budget-empty"
        case .quota: "quota"
        case .clockUntrusted: "clock-untrusted"
        case .leasedBy: "leased-by"
        case .noWorker: "no-worker"
        case .needsOwner: "needs-owner"
        case .dead: "dead"
        case .ended: "ended"
        }
    }

    /// When it can next change by itself; nil: only by somebody's act.
    public var until: Instant? {
        switch self {
        case .backoffUntil(let until), .serverSaidUntil(let until), .signal(_, let until),
            .credentialHeld(_, let until), .leasedBy(_, let until), .needsOwner(_, let until),
            .budgetEmpty(_, let until), .clockUntrusted(let until):
            until
        case .pausedBy(_, _, let until), .breakerOpen(_, let until): until
        case .quota, .noWorker, .dead, .ended: nil
        }
    }
}
