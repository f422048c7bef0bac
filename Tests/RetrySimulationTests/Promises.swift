import RetryCore
import RetryModel
import Support

/// What was answered, and so can never be taken back: not by a crash either.
struct Promises {
    private var accepted: Set<OperationID> = []
    private var succeeded: Set<OperationID> = []
    private var cancelled: Set<OperationID> = []

    /// An answer leaves: what it says must be on the disk by then.
    mutating func take(_ answer: Answer, _ shell: Shell) throws {
        switch answer {
        case .submitted(let id):
            try check(isPast(id, shell) { _ in true }, "the submit of \(id.rawValue)")
            accepted.insert(id)
        case .granted(_, let grants):
            for grant in grants {
                let id = grant.record.id
                let token = grant.record.token.rawValue
                try check(
                    isPast(id, shell) { $0.token.rawValue >= token }, "a lease of \(id.rawValue)")
            }
        case .reported(let id, let token, let hasSucceeded):
            try check(
                isPast(id, shell) { record in
                    guard !hasSucceeded else { return record.state == .succeeded }
                    return record.token.rawValue > token.rawValue || !record.isTokenOpen
                }, "a report of \(id.rawValue)")
            if hasSucceeded { succeeded.insert(id) }
        case .cancelled(let id):
            try check(
                isPast(id, shell) { $0.state == .cancelled }, "the cancel of \(id.rawValue)")
            cancelled.insert(id)
        }
    }

    /// Whether the store knows an operation like that, or has had it and removed it.
    private func isPast(
        _ id: OperationID, _ shell: Shell, _ fits: (OperationRecord) -> Bool
    ) -> Bool {
        guard let record = shell.store.operations[id] else {
            return shell.store.removed.contains(id)
        }
        return fits(record)
    }

    private func check(_ isStored: Bool, _ what: String) throws {
        guard !isStored else { return }
        throw Violation(
            rule: .noAnswerBeforeCommit, message: "\(what) was answered and is not stored")
    }

    /// After a start.
    func checkKept(_ shell: Shell, now: Now) throws {
        for id in accepted.sorted() where shell.core.view(id, now: now) == nil {
            try keep(shell.store.removed.contains(id), "\(id.rawValue) was accepted and is gone")
        }
        for id in succeeded.sorted() {
            guard let state = shell.core.view(id, now: now)?.state else { continue }
            try keep(state == .succeeded, "\(id.rawValue) had succeeded and is \(state)")
        }
        for id in cancelled.sorted() {
            guard let state = shell.core.view(id, now: now)?.state else { continue }
            try keep(state == .cancelled, "\(id.rawValue) was cancelled and is \(state)")
        }
    }

    private func keep(_ isKept: Bool, _ message: String) throws {
        guard !isKept else { return }
        throw Violation(rule: .nothingAcknowledgedIsLost, message: message)
    }
}
