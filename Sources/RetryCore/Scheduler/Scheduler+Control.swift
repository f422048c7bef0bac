package import RetryModel

extension Scheduler {
    /// The owner or an admin ends an operation that has not ended. A running attempt learns of it
    /// when it extends or reports.
    ///
    /// - Throws: `.noSuchOperation`, `.wrongState` when it has ended.
    package mutating func cancelAsked(
        _ id: OperationID, by caller: Caller, now: Now, into effects: inout Effects
    ) throws(Refusal) {
        let slot = try slot(of: id, actedOnBy: caller)
        switch table[slot].state {
        case .succeeded, .cancelled:
            throw .wrongState(table[slot].state)
        case .scheduled, .held, .ready, .leased, .parked, .dead:
            let wasLeased = table[slot].state == .leased
            unplace(slot)
            if wasLeased { attemptEnded(slot, .unknown, now: now, into: &effects) }
            end(slot, .cancelled, now: now, into: &effects)
        }
    }

    /// The owner or an admin wants an operation tried now: no back-off, no waiting for its
    /// condition. A refused credential still holds it. Parked and dead ones start with fresh
    /// limits.
    ///
    /// - Throws: `.noSuchOperation`, `.wrongState` when an attempt runs or it has ended.
    package mutating func retryAsked(
        _ id: OperationID, by caller: Caller, now: Now, into effects: inout Effects
    ) throws(Refusal) {
        let slot = try slot(of: id, actedOnBy: caller)
        switch table[slot].state {
        case .leased, .succeeded, .cancelled:
            throw .wrongState(table[slot].state)
        case .scheduled, .held, .ready:
            unplace(slot)
        case .parked, .dead:
            unplace(slot)
            refresh(slot, now: now)
            effects.add(.changed(id, .revived))
        }
        setCondition(slot, nil)
        table[slot].cause = .none
        table[slot].sinceSeconds = seconds(now.wall)
        setDue(slot, now.instant)
        settle(slot, .retry, now: now, into: &effects)
        effects.add(.save(record(slot)))
    }

    /// Decides the last failure of an operation anew, by the rules in force; the attempt is not
    /// counted again.
    ///
    /// - Throws: as `retryAsked`.
    package mutating func reclassifyAsked(
        _ id: OperationID, _ failure: ToldFailure, by caller: Caller, now: Now,
        into effects: inout Effects
    ) throws(Refusal) -> Decision {
        let slot = try slot(of: id, actedOnBy: caller)
        switch table[slot].state {
        case .leased, .succeeded, .cancelled:
            throw .wrongState(table[slot].state)
        case .scheduled, .held, .ready:
            unplace(slot)
        case .parked, .dead:
            unplace(slot)
            refresh(slot, now: now)
            effects.add(.changed(id, .revived))
        }
        // What the failure counted for when it was told counts once only.
        if table[slot].attempts > 0 { table[slot].attempts -= 1 }
        if table[slot].ruleRepeats > 0 { table[slot].ruleRepeats -= 1 }
        // It is of long ago: whether the sign-in works by now, the next attempt shows.
        let beginning = AttemptBeginning(hadForeground: false, credentialGeneration: nil)
        let decision = decide(slot, failure, beginning, now: now, into: &effects)
        carryOut(decision, slot, now: now, into: &effects)
        return decision
    }

    /// Fresh limits for what was given up: attempts, recoveries and age begin again.
    mutating func refresh(_ slot: SlotNumber, now: Now) {
        table[slot].begins(at: now)
        table[slot].attempts = 0
        table[slot].recoveries = 0
        table[slot].ruleRepeats = 0
        table[slot].foregroundRepeats = 0
        table[slot].previousDelayMs = 0
    }

    /// The operation, if the caller may change it.
    func slot(of id: OperationID, actedOnBy caller: Caller) throws(Refusal) -> SlotNumber {
        guard let slot = table.slot(of: id) else { throw .noSuchOperation(id) }
        guard caller.mayAct(onOperationsOf: lanes[table[slot].lane].owner) else {
            // As if it were not there: who may not see it is not told that it is.
            throw .noSuchOperation(id)
        }
        return slot
    }
}
