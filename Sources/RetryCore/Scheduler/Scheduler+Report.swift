package import RetryModel

/// How an attempt ended, as its worker tells it.
package enum AttemptOutcome: Sendable {
    case succeeded
    /// - Parameter eventHash: Keyed hash over owner and the failure's event_id; 0: none.
    case failed(ToldFailure, eventHash: UInt64)
}

extension Scheduler {
    /// The worker of an attempt tells how it ended.
    ///
    /// A late report counts as long as its token is the newest and not yet reported on.
    /// - Returns: The decision on a failure; nil for a success.
    /// - Throws: `.noSuchOperation`, `.staleLease` with the present state.
    package mutating func attemptReported(
        _ id: OperationID, token: LeaseToken, _ outcome: AttemptOutcome, by caller: Caller,
        now: Now, into effects: inout Effects
    ) throws(Refusal) -> Decision? {
        let slot = try openSlot(of: id, token: token, by: caller)
        let lease = close(slot)
        attemptEnded(slot, Self.evidence(of: outcome), now: now, into: &effects)
        switch outcome {
        case .succeeded:
            if table[slot].attempts < .max { table[slot].attempts += 1 }
            end(slot, .succeeded, now: now, into: &effects)
            return nil
        case .failed(let failure, let eventHash):
            let beginning = AttemptBeginning(
                hadForeground: lease.hadForeground,
                credentialGeneration: lease.credentialGeneration)
            let decision = decide(slot, failure, beginning, now: now, into: &effects)
            // Beyond that many an older one goes.
            if table[slot].attempts <= Limits.attemptsKeptMax {
                setSize(slot, table[slot].size.adding(failure.bytes))
            }
            effects.add(.changed(id, .attemptFailed))
            remember(event: eventHash, of: id, into: &effects)
            carryOut(decision, slot, now: now, into: &effects)
            return decision
        }
    }

    /// A worker gives back an attempt it did not make: a deferral, not an attempt.
    ///
    /// - Returns: When it is tried again.
    package mutating func attemptReleased(
        _ id: OperationID, token: LeaseToken, delay: Span, by caller: Caller, now: Now,
        into effects: inout Effects
    ) throws(Refusal) -> Instant {
        let slot = try openSlot(of: id, token: token, by: caller)
        _ = close(slot)
        attemptEnded(slot, .nothing, now: now, into: &effects)
        if table[slot].deferrals < .max { table[slot].deferrals += 1 }
        table[slot].sinceSeconds = seconds(now.wall)
        table[slot].cause = .none
        setDue(slot, now.instant + delay)
        effects.add(.changed(id, .released))
        settle(slot, now: now, into: &effects)
        effects.add(.save(record(slot)))
        return table[slot].due
    }

    /// The operation of a report whose token is the newest and open.
    private func openSlot(
        of id: OperationID, token: LeaseToken, by caller: Caller
    ) throws(Refusal) -> SlotNumber {
        let slot = try slot(of: id, reportedBy: caller)
        guard table[slot].token == token, table[slot].flags.contains(.tokenOpen) else {
            throw .staleLease(shownState(slot))
        }
        return slot
    }

    private static func evidence(of outcome: AttemptOutcome) -> Evidence {
        switch outcome {
        case .succeeded: .succeeded
        case .failed(let failure, _): evidence(of: failure.verdict)
        }
    }

    /// Ends an attempt well: the recovery counted in advance did not happen, unless the lease was
    /// lost before. The operation is in no place then.
    private mutating func close(_ slot: SlotNumber) -> LeaseRecord {
        let wasLeased = table[slot].state == .leased
        let lease = lease(of: slot)
        unplace(slot)
        removeLease(slot)
        table[slot].flags.remove(.tokenOpen)
        if wasLeased, table[slot].recoveries > 0 { table[slot].recoveries -= 1 }
        return lease
    }
}
