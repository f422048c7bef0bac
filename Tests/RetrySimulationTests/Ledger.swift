import RetryCore
import RetryModel

/// What must be true of every operation, kept from the answers the core gave and from what it said
/// happened: a second, simpler account of the same events, and the checks against it.
struct Ledger {
    struct Account {
        var lane: Lane
        var owner: UserID { lane.owner }
        /// Attempts that were reported on since its limits were last made fresh.
        var attempts: Int
        /// No attempt may begin earlier.
        var notBefore: Instant
        /// The date that `notBefore` follows.
        var dueWall: WallTime?
        /// What must be on before an attempt begins.
        var condition: SignalName?
        var credential: SignalName?
        /// The newest token given.
        var token: UInt32 = 0
        /// It was not reported on.
        var isOpen = false
        /// An attempt of that token holds the operation.
        var isLeased = false
        var life = Life.live
    }

    enum Life: Equatable {
        case live
        case dead
        case succeeded
        case cancelled
    }

    private(set) var accounts: [OperationID: Account] = [:]
    var sparing = Sparing()
    private(set) var pauses: [PauseIndex: PauseRecord] = [:]
    private(set) var levels: [SignalName: Bool] = [:]
    private(set) var events: [UInt64: OperationID] = [:]

    subscript(id: OperationID) -> Account? { accounts[id] }

    // MARK: Decisions

    mutating func accepted(
        _ id: OperationID, _ submission: Submission, _ decision: Decision, now: Now
    ) throws {
        guard accounts[id] == nil else {
            throw Violation(rule: .idsAreNew, message: "\(id.rawValue) was given again")
        }
        let lane = submission.lane
        accounts[id] = Account(
            lane: lane, attempts: 0, notBefore: now.instant,
            credential: lane.credential.map { .credential(name: $0, owner: lane.owner) })
        decided(id, decision, scope: lane.scope, now: now, isFirst: true)
    }

    /// A failed attempt was decided, or, with `isFirst`, the failure that begins a new life.
    mutating func decided(
        _ id: OperationID, _ decision: Decision, scope: String, now: Now, isFirst: Bool
    ) {
        guard var account = accounts[id] else { return }
        account.attempts = isFirst ? 1 : account.attempts + 1
        account.isLeased = false
        // What `replace` fences is closed too.
        account.isOpen = false
        account.notBefore = decision.due ?? now.instant
        account.dueWall = decision.dueWall
        account.condition = Ledger.signal(decision, scope: scope, owner: account.owner)
        accounts[id] = account
    }

    private static func signal(
        _ decision: Decision, scope: String, owner: UserID
    ) -> SignalName? {
        guard decision.outcome == .waiting else { return nil }
        return switch decision.condition {
        case .now: nil
        case .whenForeground: .foreground(of: scope, for: owner)
        case .network: .network
        case .custom(let name): .custom(name: name, owner: owner)
        }
    }

    /// Decided anew: the same attempts, or one after a revival.
    mutating func reclassified(
        _ id: OperationID, _ decision: Decision, scope: String, wasGivenUp: Bool, now: Now
    ) {
        guard let before = accounts[id] else { return }
        decided(id, decision, scope: scope, now: now, isFirst: false)
        accounts[id]?.attempts = wasGivenUp ? 1 : max(before.attempts, 1)
        // A lost attempt may still be reported on.
        accounts[id]?.isOpen = before.isOpen
    }

    mutating func retried(_ id: OperationID, wasGivenUp: Bool, now: Now) {
        accounts[id]?.notBefore = now.instant
        accounts[id]?.dueWall = nil
        accounts[id]?.condition = nil
        if wasGivenUp { accounts[id]?.attempts = 0 }
    }

    /// - Parameter decision: Nil: no failure was told.
    mutating func resolved(_ id: OperationID, _ decision: Decision?, scope: String, now: Now) {
        accounts[id]?.token += 1
        accounts[id]?.isOpen = false
        guard let decision else { return retried(id, wasGivenUp: true, now: now) }
        decided(id, decision, scope: scope, now: now, isFirst: true)
    }

    mutating func replaced(_ id: OperationID, _ submission: Submission) {
        accounts[id]?.token += 1
        accounts[id]?.lane = submission.lane
        accounts[id]?.credential = submission.lane.credential.map {
            .credential(name: $0, owner: submission.lane.owner)
        }
    }

    // MARK: Attempts

    mutating func granted(_ grant: Grant, now: Now) throws {
        let id = grant.record.id
        guard var account = accounts[id], account.life == .live else {
            throw Violation(rule: .onePlace, message: "\(id.rawValue) was granted, not being live")
        }
        guard !account.isLeased else {
            throw Violation(
                rule: .oneLeaseAtMost, message: "\(id.rawValue) was granted while it is leased")
        }
        guard grant.record.token.rawValue == account.token + 1 else {
            throw Violation(
                rule: .oneLeaseAtMost,
                message: "\(id.rawValue) has token \(grant.record.token.rawValue), not "
                    + "\(account.token + 1)")
        }
        guard grant.attempt == account.attempts + 1 else {
            throw Violation(
                rule: .waitingSpendsNoAttempts,
                message: "\(id.rawValue) begins attempt \(grant.attempt), not "
                    + "\(account.attempts + 1)")
        }
        try checkTime(id, account, now: now)
        let running = accounts.values.filter { other in
            other.isLeased && Sparing.name(of: other.lane) == Sparing.name(of: account.lane)
        }
        try sparing.granted(id, account.lane, running: running.count, now: now)
        account.token += 1
        account.isOpen = true
        account.isLeased = true
        account.dueWall = nil
        accounts[id] = account
    }

    private func checkTime(_ id: OperationID, _ account: Account, now: Now) throws {
        guard account.notBefore <= now.instant else {
            throw Violation(
                rule: .notBeforeItsTime,
                message: "\(id.rawValue) runs \((account.notBefore - now.instant).usec) µs early")
        }
        for (_, pause) in pauses where pause.scope.holds(account.lane) {
            throw Violation(
                rule: .nothingPausedRuns, message: "\(id.rawValue) runs, paused: \(pause.scope)")
        }
        for signal in [account.condition, account.credential].compactMap({ $0 })
        where !isOn(signal) {
            throw Violation(
                rule: .notBeforeItsTime, message: "\(id.rawValue) runs without \(signal)")
        }
    }

    func isOn(_ signal: SignalName) -> Bool { levels[signal] ?? signal.initialLevel }

    /// Whether a report, release or extension with that token must be taken.
    func takes(_ token: LeaseToken, of id: OperationID) -> Bool {
        guard let account = accounts[id] else { return false }
        return account.isOpen && account.token == token.rawValue
    }

    func checkTaken(
        _ isTaken: Bool, _ token: LeaseToken, of id: OperationID, _ what: String
    ) throws {
        guard takes(token, of: id) != isTaken else { return }
        throw Violation(
            rule: .reportsCountOnce,
            message: "\(what) of \(id.rawValue) with token \(token.rawValue) was "
                + (isTaken ? "taken" : "refused"))
    }

    mutating func succeeded(_ id: OperationID) {
        close(id)
        accounts[id]?.attempts += 1
    }

    mutating func released(_ id: OperationID, until: Instant) {
        close(id)
        accounts[id]?.notBefore = until
    }

    private mutating func close(_ id: OperationID) {
        accounts[id]?.isOpen = false
        accounts[id]?.isLeased = false
        accounts[id]?.dueWall = nil
    }

    mutating func resumed(_ id: OperationID) {
        accounts[id]?.isLeased = true
        accounts[id]?.dueWall = nil
    }

    // MARK: What the core says

    mutating func observe(_ effects: [Effect], now: Now) throws {
        for effect in effects {
            switch effect {
            case .savePause(let index, let record): pauses[index] = record
            case .removePause(let index): pauses[index] = nil
            case .breakerChanged(let name, let state): sparing.breakerChanged(name, state)
            case .saveSignal(_, let record): levels[record.name] = record.isOn
            case .saveEvent(let hash, let id, _): events[hash] = id
            case .removeEvent(let hash): events[hash] = nil
            case .changed(let id, let change): try observe(change, of: id, now: now)
            case .save, .remove, .saveLane, .removeLane, .removeSignal, .savePolicyName,
                .reserveIDs, .saveDestination, .removeDestination, .credentialRefused,
                .herdReleased, .becameReady:
                break
            }
        }
    }

    private mutating func observe(_ change: Change, of id: OperationID, now: Now) throws {
        if change == .ready, let account = accounts[id] {
            try sparing.becameReady(id, dueAt: account.notBefore, now: now)
        }
        switch change {
        case .leaseLost:
            sparing.ended(id)
            accounts[id]?.isLeased = false
            accounts[id]?.notBefore = now.instant
        case .gaveUp: accounts[id]?.life = .dead
        case .succeeded: accounts[id]?.life = .succeeded
        case .cancelled:
            sparing.ended(id)
            close(id)
            accounts[id]?.life = .cancelled
        case .replaced:
            sparing.ended(id)
            accounts[id]?.life = .live
        case .revived: accounts[id]?.life = .live
        case .scheduled, .held, .ready, .leased, .parked: accounts[id]?.life = .live
        case .removed:
            guard let life = accounts[id]?.life, life != .live else {
                throw Violation(
                    rule: .nothingAcknowledgedIsLost, message: "live \(id.rawValue) was removed")
            }
            accounts[id] = nil
        case .released, .attemptFailed: sparing.ended(id)
        case .accepted, .resolved, .recovered: break
        }
    }

    /// The wall clock was stepped: what waits for a date follows it.
    mutating func clockStepped(now: Now) {
        for (id, account) in accounts {
            guard let date = account.dueWall else { continue }
            accounts[id]?.notBefore = now.instant(of: date)
        }
    }
}
