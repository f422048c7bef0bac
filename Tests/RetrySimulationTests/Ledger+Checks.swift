import RetryCore
import RetryModel
import Support

/// The ledger against what the core shows.
extension Ledger {
    /// One operation: as many attempts, the same life, one reason that fits its state.
    func check(_ id: OperationID, _ shell: Shell, now: Now) throws {
        let view = shell.core.view(id, now: now)
        guard let account = self[id] else {
            if view == nil { return }
            throw Violation(rule: .onePlace, message: "\(id.rawValue) is there, and it is gone")
        }
        guard let view else {
            throw Violation(rule: .nothingAcknowledgedIsLost, message: "\(id.rawValue) is gone")
        }
        guard Int(view.record.attempts) == account.attempts else {
            throw Violation(
                rule: .waitingSpendsNoAttempts,
                message: "\(id.rawValue) has \(view.record.attempts) attempts, not "
                    + "\(account.attempts)")
        }
        guard Ledger.life(of: view.state) == account.life,
            (view.state == .leased) == account.isLeased,
            view.record.token.rawValue == account.token,
            view.record.isTokenOpen == account.isOpen
        else {
            throw Violation(
                rule: .onePlace,
                message: "\(id.rawValue) is \(view.state), the ledger has \(account)")
        }
        try checkReason(view, shell.reasons(id, now: now))
    }

    private static func life(of state: OperationState) -> Life {
        switch state {
        case .scheduled, .held, .ready, .leased, .parked: .live
        case .dead: .dead
        case .succeeded: .succeeded
        case .cancelled: .cancelled
        }
    }

    private func checkReason(_ view: Scheduler.View, _ reasons: [Reason]) throws {
        let id = view.record.id.rawValue
        guard let primary = reasons.first, primary == view.reason else {
            throw Violation(rule: .oneReason, message: "\(id) is \(view.state) for no reason")
        }
        for (number, reason) in reasons.enumerated() {
            let fits = Ledger.states(of: reason).contains(view.state)
            // The others of a waiting one are of other faces.
            guard fits || (number > 0 && view.state.isWaiting) else {
                throw Violation(
                    rule: .oneReason, message: "\(id) is \(view.state) for \(reason.code)")
            }
        }
        guard Set(reasons.map { $0.code.description }).count == reasons.count else {
            throw Violation(rule: .oneReason, message: "\(id) has a reason twice: \(reasons)")
        }
    }

    private static func states(of reason: Reason) -> [OperationState] {
        switch reason {
        case .backoffUntil, .serverSaidUntil, .clockUntrusted, .breakerOpen: [.scheduled]
        // A level came on, and nobody has told it yet.
        case .budgetEmpty: [.scheduled, .held]
        case .quota: [.ready]
        case .pausedBy: [.held]
        case .signal, .credentialHeld: [.held]
        case .noWorker: [.ready]
        case .leasedBy: [.leased]
        case .needsOwner: [.parked]
        case .dead: [.dead]
        case .ended: [.succeeded, .cancelled]
        }
    }

    /// All operations, and none besides.
    func checkAll(_ shell: Shell, now: Now) throws {
        shell.core.checkInvariants()
        let ids = shell.core.ids { _ in true }
        for id in ids { try check(id, shell, now: now) }
        guard ids.count == accounts.count else {
            let missing = Set(accounts.keys).subtracting(ids).map(\.rawValue).sorted()
            throw Violation(rule: .nothingAcknowledgedIsLost, message: "\(missing) are gone")
        }
        for (hash, id) in events where shell.core.operation(ofEvent: hash) != id {
            throw Violation(rule: .onePlace, message: "event \(hash) is not that of \(id)")
        }
    }

    /// After a start everything that was stored, and so all that could be acknowledged, is there.
    func checkRestored(_ shell: Shell, now: Now) throws {
        do {
            try checkAll(shell, now: now)
        } catch let violation as Violation {
            if violation.message.hasSuffix("and it is gone") { throw violation }
            throw Violation(
                rule: .nothingAcknowledgedIsLost,
                message: "after a start, \(violation.message)")
        }
    }
}
