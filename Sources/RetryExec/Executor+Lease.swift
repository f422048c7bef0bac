import RetryClient
import SystemKit

/// Asking for work: never for more than can run at once, so that others have the rest.
extension Executor {
    /// So long a Lease waits in the daemon for something to become ready.
    private static let waitMs: Int64 = 3_600_000
    /// After the daemon could not give any.
    private static let askAgainUsec: Int64 = 1_000_000

    /// Has a Lease wait in the daemon as long as there is room.
    func askForWork() {
        guard let link, mayAsk else { return }
        let asked = options.max - attempts.count - promised
        if asked <= 0 { return }
        promised += asked
        link.leases.lease(queues: [options.queue], max: Int64(asked), waitMs: Executor.waitMs) {
            [unowned self] answer in
            promised -= asked
            switch answer {
            case .success(let operations): take(operations)
            case .failure(let error):
                Notice.warning.say("no work: \(error)")
                askAtUsec = loop.nowUsec + Executor.askAgainUsec
            }
        }
    }

    /// How many operations the report of an attempt should bring: its own place and what else is
    /// free, unless a Lease is out for that.
    func askedWithReport() -> Int {
        mayAsk ? max(0, options.max - attempts.count - promised + 1) : 0
    }

    /// One Lease is out at a time. Attempts that were begun before the present connection come
    /// first: until the daemon has said what became of their leases, one of them could be handed
    /// out a second time.
    private var mayAsk: Bool {
        guard let link, link.leases.outstanding == 0, askAtUsec == nil else { return false }
        return attempts.values.allSatisfy { $0.isConfirmed || $0.phase == .stopping }
    }

    func take(_ operations: [LeasedOperation]) {
        for operation in operations { start(operation) }
    }
}
