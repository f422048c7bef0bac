import RetryModel

/// From a told failure to the place it puts the operation in.
extension Scheduler {
    /// What is known of the moment at which a failed attempt began.
    struct AttemptBeginning {
        var hadForeground: Bool
        /// Generation of the credential; nil: it names none, or nobody knows. A refusal by an
        /// older one than the present holds nothing: it was renewed since.
        var credentialGeneration: UInt32?
    }

    /// Counts a failed attempt and decides what it means.
    ///
    /// - Parameter operation: One that is in no place; the caller puts it back into the table.
    mutating func decide(
        _ operation: inout OperationSlot, deadline: WallTime?, _ failure: ToldFailure,
        _ beginning: AttemptBeginning, now: Now, into effects: inout Effects
    ) -> Decision {
        let lane = lanes[operation.lane]
        if operation.attempts < .max { operation.attempts += 1 }
        var context = DecisionContext(age: now.instant - operation.firstFailedAt)
        context.attempts = operation.attempts
        context.deadline = deadline
        context.previousRule = operation.rule
        context.ruleRepeats = operation.ruleRepeats
        context.previousDelay = .milliseconds(Int64(operation.previousDelayMs))
        context.retriesUnknown = operation.flags.contains(.retriesUnknown)
        context.hasCredential = lane.credential != nil
        context.hadForeground = beginning.hadForeground
        context.foregroundRepeats = operation.foregroundRepeats
        let policy = policyIndex(lane, failure.verdict)
        let decision = Decider.decide(
            failure.verdict, rule: failure.rule, context: context, policy: policies[policy],
            policyIndex: policy, now: now, random: &random)
        operation.note(decision, hadForeground: beginning.hadForeground)
        if decision.disposition == .reauthenticate, let credential = lane.credential,
            beginning.credentialGeneration == signals[credential].generation
        {
            credentialRefused(credential, by: operation.id, now: now, into: &effects)
        }
        return decision
    }

    /// As above, for an operation that is in the table and in no place.
    mutating func decide(
        _ slot: SlotNumber, _ failure: ToldFailure, _ beginning: AttemptBeginning, now: Now,
        into effects: inout Effects
    ) -> Decision {
        var operation = table[slot]
        let decision = decide(
            &operation, deadline: deadline(slot), failure, beginning, now: now, into: &effects)
        table[slot] = operation
        return decision
    }

    /// Puts the operation where the decision says and orders it stored.
    mutating func carryOut(
        _ decision: Decision, _ slot: SlotNumber, now: Now, into effects: inout Effects
    ) {
        switch decision.outcome {
        case .waiting:
            let condition = signalIndex(
                for: decision.condition, lane: table[slot].lane, now: now, into: &effects)
            setCondition(slot, condition)
            table[slot].wait(since: now.wall)
            setDue(slot, decision.due ?? now.instant, wall: decision.dueWall)
            settle(slot, now: now, into: &effects)
            effects.add(.save(record(slot)))
        case .parked(let cause):
            setCondition(slot, nil)
            park(slot, cause, now: now, into: &effects)
        case .dead(let cause):
            setCondition(slot, nil)
            giveUp(slot, cause, now: now, into: &effects)
        }
    }

    mutating func park(
        _ slot: SlotNumber, _ cause: Cause, now: Now, into effects: inout Effects
    ) {
        table[slot].cause = cause
        table[slot].sinceSeconds = seconds(now.wall)
        setDue(slot, now.instant + policies[table[slot].policy].parkMax)
        place(slot, .parked, until: table[slot].due)
        effects.add(.save(record(slot)))
        effects.add(.changed(table[slot].id, .parked(cause)))
    }

    mutating func giveUp(
        _ slot: SlotNumber, _ cause: Cause, now: Now, into effects: inout Effects
    ) {
        table[slot].cause = cause
        table[slot].sinceSeconds = seconds(now.wall)
        setDue(slot, now.instant + limits.deadKept)
        place(slot, .dead, until: table[slot].due)
        effects.add(.save(record(slot)))
        effects.add(.changed(table[slot].id, .gaveUp(cause)))
        removeBeyondBounds(now: now, into: &effects)
    }

    /// - Parameter state: `.succeeded` or `.cancelled`.
    mutating func end(
        _ slot: SlotNumber, _ state: OperationState, now: Now, into effects: inout Effects
    ) {
        removeKey(slot)
        table[slot].cause = .none
        setCondition(slot, nil)
        table[slot].flags.remove(.tokenOpen)
        table[slot].sinceSeconds = seconds(now.wall)
        setDue(slot, now.instant + limits.endedKept)
        place(slot, state, until: table[slot].due)
        effects.add(.save(record(slot)))
        effects.add(.changed(table[slot].id, state == .succeeded ? .succeeded : .cancelled))
        removeBeyondBounds(now: now, into: &effects)
    }

    mutating func removeNow(_ slot: SlotNumber, now: Now, into effects: inout Effects) {
        let id = table[slot].id
        let end = endOfLife(slot, now: now)
        unplace(slot)
        forget(slot)
        effects.add(.remove(id))
        effects.add(.changed(id, .removed))
        forgetIdleNames(into: &effects)
        eventsLeft(by: id, endedAt: end, now: now, into: &effects)
    }

    /// When an operation that is removed ended. A dead one could be revived until now.
    private func endOfLife(_ slot: SlotNumber, now: Now) -> Instant {
        switch table[slot].state {
        case .succeeded, .cancelled:
            table[slot].due + Span(usec: -limits.endedKept.usec)
        case .dead:
            now.instant
        case .scheduled, .held, .ready, .leased, .parked:
            preconditionFailure("a live operation is never removed")
        }
    }

    /// Removes the longest kept of the owner who has most, beyond the bound: more than were added,
    /// so that a bound that was lowered is reached, and few enough not to hold up the turn.
    private mutating func removeBeyondBounds(now: Now, into effects: inout Effects) {
        for _ in 0..<Self.removedPerEventMax {
            if dead.count > limits.deadKeptMax {
                removeNow(dead.firstOfLargest, now: now, into: &effects)
            } else if ended.count > limits.endedKeptMax {
                removeNow(ended.firstOfLargest, now: now, into: &effects)
            } else {
                return
            }
        }
    }

    private static let removedPerEventMax = 16
}

extension OperationSlot {
    fileprivate mutating func wait(since: WallTime) {
        cause = .none
        sinceSeconds = seconds(since)
    }

    /// Keeps of a decision what the next one looks at.
    fileprivate mutating func note(_ decision: Decision, hadForeground: Bool) {
        if decision.rule == 0 || decision.rule != rule { ruleRepeats = 0 }
        if ruleRepeats < .max { ruleRepeats += 1 }
        rule = decision.rule
        policy = decision.policy
        previousDelayMs = UInt32(clamping: decision.delay.millisecondsUp)
        if decision.disposition == .retry, decision.condition == .whenForeground {
            if hadForeground, foregroundRepeats < .max { foregroundRepeats += 1 }
        } else {
            foregroundRepeats = 0
        }
    }
}
