/// Whether the batch that fills waits a moment for more calls before it is handed to a free store.
///
/// A client calls again as soon as it has its answers. Were the batch handed over with what came
/// meanwhile, those calls would be in the next one, and so on for ever: two groups that wait for
/// each other's sync. So when a batch is stored, as many calls are expected as were answered, and
/// the next batch waits until they have come, but not for long (the idea of PostgreSQL's
/// commit_delay). A client with one call in flight is never waited for when it is alone.
struct Company {
    /// The part of a batch's usual time that is spent waiting: small against what is saved when the
    /// others come, bearable when they don't.
    static let patienceShare: Int64 = 4
    /// The longest wait: on a slow disk clients have called again long before.
    static let patienceMaxUsec: Int64 = 500
    /// Shorter waits are not worth a system call: the disk is as fast as the clients.
    static let patienceMinUsec: Int64 = 20

    /// What a connection keeps: how many calls are expected of it, and in which round.
    struct Mark {
        fileprivate var round: UInt64 = 0
        fileprivate var calls = 0
    }

    private var round: UInt64 = 0
    private var missing = 0
    private var endUsec: Int64 = 0
    /// How long a batch takes lately, from its handing over until it is stored.
    private(set) var batchUsec: Int64 = 0

    /// A batch is stored and its answers go out.
    /// - Parameter usec: How long it took.
    mutating func begin(atUsec now: Int64, batchTook usec: Int64) {
        batchUsec = batchUsec == 0 ? usec : batchUsec + (usec - batchUsec) / 8
        round += 1
        missing = 0
        let patience = min(batchUsec / Company.patienceShare, Company.patienceMaxUsec)
        endUsec = patience < Company.patienceMinUsec ? now : now + patience
    }

    /// A client was given so many answers.
    mutating func expect(_ calls: Int) -> Mark {
        missing += calls
        return Mark(round: round, calls: calls)
    }

    /// A client calls.
    mutating func came(_ mark: inout Mark) {
        guard mark.calls > 0 else { return }
        mark.calls -= 1
        if mark.round == round { missing -= 1 }
    }

    /// A client goes, or calls no more.
    mutating func left(_ mark: inout Mark) {
        if mark.round == round { missing -= mark.calls }
        mark.calls = 0
    }

    /// How long to wait for the calls that are missing; nil: not at all.
    func waitUsec(atUsec now: Int64) -> Int64? {
        missing > 0 && now < endUsec ? endUsec - now : nil
    }
}
