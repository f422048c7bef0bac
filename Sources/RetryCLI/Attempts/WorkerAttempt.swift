import RetryClient
import SystemKit

/// An operation that a worker has leased.
final class WorkerAttempt {
    let operation: LeasedOperation
    /// Nil while it waits for its turn.
    var run: CommandRun?
    /// Half-way through nothing: a third of the lease, so that two lost calls do not lose it.
    private let extendEveryUsec: Int64
    private(set) var extendAtUsec: Int64
    /// Somebody else has it by now, or it was ended: nothing is reported.
    var isAbandoned = false

    /// - Parameters:
    ///   - nowUsec: by CLOCK_BOOTTIME, as the worker's loop counts.
    ///   - wallUsec: the same moment by the wall clock, as the daemon tells times.
    init(_ operation: LeasedOperation, nowUsec: Int64, wallUsec: Int64) {
        self.operation = operation
        extendEveryUsec = max(500_000, (operation.visibilityUsec - wallUsec) / 3)
        extendAtUsec = nowUsec + extendEveryUsec
    }

    func extended(nowUsec: Int64) {
        extendAtUsec = nowUsec + extendEveryUsec
    }

    /// What the command reads on standard input.
    var input: [UInt8] {
        switch operation.payload {
        case .none: []
        case .text(let text): Array(text.utf8)
        case .json(let json): json.bytes
        case .bytes(let bytes): bytes
        }
    }

    /// What the command is told by its environment; nil: that variable is not there.
    var variables: [(name: String, value: String?)] {
        [
            ("RETRYD_OPERATION", "\(operation.id)"), ("RETRYD_TOKEN", "\(operation.token)"),
            ("RETRYD_ATTEMPT", "\(operation.attempt)"),
            ("RETRYD_RECOVERIES", "\(operation.recoveries)"),
            ("RETRYD_QUEUE", operation.queue), ("RETRYD_KEY", operation.key),
            ("RETRYD_DESTINATION", operation.destination),
            ("RETRYD_CREDENTIAL", operation.credential),
        ]
    }
}
