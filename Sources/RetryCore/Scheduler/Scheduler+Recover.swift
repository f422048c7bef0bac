package import RetryModel

/// What a person chose among the options a failure offers.
package enum RecoveryChoice: Sendable, CaseIterable {
    /// Tried again at once.
    case retry
    /// Ended.
    case cancel
    /// The sign-in works again: all that waits for it goes on, and this is tried at once.
    case signIn
}

extension Scheduler {
    /// The owner or an admin chose what becomes of an operation that waits or was given up.
    ///
    /// - Throws: `.noSuchOperation`, `.permissionDenied`, `.wrongState` when an attempt runs or it
    ///   has ended.
    package mutating func recoverAsked(
        _ id: OperationID, _ choice: RecoveryChoice, by caller: Caller, now: Now,
        into effects: inout Effects
    ) throws(Refusal) -> Recovery {
        let slot = try slot(of: id, actedOnBy: caller)
        switch table[slot].state {
        case .leased, .succeeded, .cancelled: throw .wrongState(table[slot].state)
        case .scheduled, .held, .ready, .parked, .dead: break
        }
        let recovery: Recovery
        switch choice {
        case .cancel:
            try cancelAsked(id, by: caller, now: now, into: &effects)
            recovery = .cancelled
        case .retry, .signIn:
            if choice == .signIn, let credential = lanes[table[slot].lane].credential {
                _ = signalSet(
                    signals[credential].name, isOn: true, by: caller.user, lasting: nil, now: now,
                    into: &effects)
            }
            try retryAsked(id, by: caller, now: now, into: &effects)
            recovery = .retried
        }
        effects.add(.changed(id, .recovered(recovery)))
        return recovery
    }

    /// The owner or an admin brought what a parked operation lacked. Its counters and limits begin
    /// anew; id and key stay. An attempt at what it was before is fenced.
    ///
    /// - Parameters:
    ///   - failure: What the owner's own try at the new flow failed with; nil: it was not tried,
    ///     and is at once.
    ///   - eventHash: Of that failure; 0: none.
    /// - Returns: The decision on that failure.
    /// - Throws: `.noSuchOperation`, `.permissionDenied`, `.wrongState` when it is not parked.
    package mutating func resolveAsked(
        _ id: OperationID, _ failure: ToldFailure?, eventHash: UInt64 = 0, by caller: Caller,
        now: Now, into effects: inout Effects
    ) throws(Refusal) -> Decision? {
        let slot = try slot(of: id, actedOnBy: caller)
        guard table[slot].state == .parked else { throw .wrongState(shownState(slot)) }
        unplace(slot)
        fence(slot)
        refresh(slot, now: now)
        table[slot].deferrals = 0
        effects.add(.changed(id, .resolved))
        guard let failure else {
            setCondition(slot, nil)
            table[slot].cause = .none
            table[slot].sinceSeconds = seconds(now.wall)
            setDue(slot, now.instant)
            settle(slot, .retry, now: now, into: &effects)
            effects.add(.save(record(slot)))
            return nil
        }
        let beginning = untoldBeginning(table[slot].lane, failure)
        let decision = decide(slot, failure, beginning, now: now, into: &effects)
        remember(event: eventHash, of: id, into: &effects)
        carryOut(decision, slot, now: now, into: &effects)
        return decision
    }
}
