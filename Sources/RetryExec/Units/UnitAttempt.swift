import RetryClient
import RetryModel

/// One start of a unit under way: its lease, and how far it is.
final class UnitAttempt {
    /// Each lists what may follow.
    enum Phase: Hashable {
        /// systemd is asked what became of the unit meanwhile. To `starting`, `ended`.
        case looking
        /// Its job was ordered and is not done. To `watching`, `ended`.
        case starting
        /// It runs, and must last or end. To `ended`.
        case watching
        /// `outcome` is to be reported. To none when that is done.
        case ended
    }

    let id: Int64
    let token: Int64
    let unit: String
    /// The run whose failure was told last: another one that succeeded since makes an attempt
    /// needless.
    let failedEvent: String?

    /// How long a service must last to have succeeded, by the policy of its operation.
    private let resetAfterMs: Int64

    var phase = Phase.looking
    /// The object of the job, as long as it is there.
    var job: String?
    /// The object of the unit, when it is known.
    var object: String?
    /// Counts what was asked of systemd, so that an answer to an older question is told from one
    /// to the newest.
    var question = 0
    /// When it will have lasted long enough to have succeeded (CLOCK_BOOTTIME).
    var provenAtUsec: Int64?
    /// When a word to the daemon is due (CLOCK_BOOTTIME).
    var extendAtUsec: Int64 = 0
    /// When systemd is to be asked again, which could not answer (CLOCK_BOOTTIME).
    var lookAtUsec: Int64?
    var outcome: RetryClient.Outcome?
    /// A call about it is on its way.
    var callIsOut = false
    /// After a report that was not taken (CLOCK_BOOTTIME).
    var reportAtUsec: Int64 = 0

    init(_ operation: LeasedOperation, unit: String) {
        id = operation.id
        token = operation.token
        self.unit = unit
        failedEvent = operation.failedEvent
        // A daemon that does not tell it yet has the default.
        resetAfterMs = operation.resetAfterMs ?? Policy.standard.resetAfter.usec / 1_000
    }

    /// When a service that runs from then on will have succeeded; never, of a policy without end.
    func provenUsec(from nowUsec: Int64) -> Int64 {
        resetAfterMs > (.max - nowUsec) / 1_000 ? .max : nowUsec + resetAfterMs * 1_000
    }

    var nextUsec: Int64 {
        if phase == .ended { return callIsOut ? .max : reportAtUsec }
        let own = min(provenAtUsec ?? .max, lookAtUsec ?? .max)
        return callIsOut ? own : min(extendAtUsec, own)
    }
}
