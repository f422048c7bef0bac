import RetryModel

/// From a told failure to the place it puts the operation in.
extension Scheduler {
    /// Counts a failed attempt and decides what it means.
    ///
    /// The operation must be in no place.
    /// - Parameter leaseGeneration: The credential's generation when the attempt began; nil for a
    ///   failure told with Submit, which is taken to be of now.
    mutating func decide(
        _ slot: SlotNumber, _ failure: ToldFailure, hadForeground: Bool,
        leaseGeneration: UInt32?, now: Now, into effects: inout Effects
    ) -> Decision {
        let operation = table[slot]
        let lane = lanes[operation.lane]
        table[slot].attempts = operation.attempts == .max ? .max : operation.attempts + 1
        var context = DecisionContext(firstFailure: wallTime(operation.firstFailureSeconds))
        context.attempts = table[slot].attempts
        context.deadline = deadlines[slot]
        context.previousRule = operation.rule
        context.ruleRepeats = operation.ruleRepeats
        context.previousDelay = .milliseconds(Int64(operation.previousDelayMs))
        context.retriesUnknown = operation.flags.contains(.retriesUnknown)
        context.hasCredential = lane.credential != nil
        context.hadForeground = hadForeground
        context.foregroundRepeats = operation.foregroundRepeats
        let policy = policyIndex(lane: operation.lane, verdict: failure.verdict)
        let decision = Decider.decide(
            failure.verdict, rule: failure.rule, context: context, policy: policies[policy],
            policyIndex: policy, now: now, random: &random)
        note(decision, slot, hadForeground: hadForeground)
        if decision.disposition == .reauthenticate, let credential = lane.credential,
            leaseGeneration == nil || leaseGeneration == signals[credential].generation
        {
            credentialRefused(credential, now: now, into: &effects)
        }
        return decision
    }

    /// Keeps of a decision what the next one looks at.
    private mutating func note(_ decision: Decision, _ slot: SlotNumber, hadForeground: Bool) {
        let isRepeat = decision.rule != 0 && decision.rule == table[slot].rule
        let repeats = table[slot].ruleRepeats
        table[slot].ruleRepeats = isRepeat ? (repeats == .max ? .max : repeats + 1) : 1
        table[slot].rule = decision.rule
        table[slot].policy = decision.policy
        table[slot].previousDelayMs = UInt32(clamping: decision.delay.millisecondsUp)
        if decision.disposition == .retry, decision.condition == .whenForeground {
            if hadForeground, table[slot].foregroundRepeats < .max {
                table[slot].foregroundRepeats += 1
            }
        } else {
            table[slot].foregroundRepeats = 0
        }
    }

    /// Puts the operation where the decision says and orders it stored.
    mutating func carryOut(
        _ decision: Decision, _ slot: SlotNumber, now: Now, into effects: inout Effects
    ) {
        table[slot].sinceSeconds = seconds(now.wall)
        table[slot].condition = nil
        switch decision.outcome {
        case .waiting:
            table[slot].cause = .none
            table[slot].condition = signalIndex(
                for: decision.condition, lane: table[slot].lane, now: now, into: &effects)
            setDue(slot, decision.due ?? now.instant, wall: decision.dueWall)
            settle(slot, now: now, into: &effects)
            effects.add(.save(record(slot)))
        case .parked(let cause):
            park(slot, cause, now: now, into: &effects)
        case .dead(let cause):
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
        removeBeyond(limits.deadKeptMax, of: dead, into: &effects)
    }

    /// - Parameter state: `.succeeded` or `.cancelled`.
    mutating func end(
        _ slot: SlotNumber, _ state: OperationState, now: Now, into effects: inout Effects
    ) {
        removeKey(slot)
        table[slot].cause = .none
        table[slot].condition = nil
        table[slot].flags.remove(.tokenOpen)
        table[slot].sinceSeconds = seconds(now.wall)
        setDue(slot, now.instant + limits.endedKept)
        place(slot, state, until: table[slot].due)
        effects.add(.save(record(slot)))
        effects.add(.changed(table[slot].id, state == .succeeded ? .succeeded : .cancelled))
        removeBeyond(limits.endedKeptMax, of: ended, into: &effects)
    }

    /// Removes the longest kept of a list that grew over its bound.
    private mutating func removeBeyond(
        _ countMax: Int, of list: SlotList, into effects: inout Effects
    ) {
        if list.count > countMax { removeNow(list.first, into: &effects) }
    }

    mutating func removeNow(_ slot: SlotNumber, into effects: inout Effects) {
        let id = table[slot].id
        unplace(slot)
        forget(slot)
        effects.add(.remove(id))
        effects.add(.changed(id, .removed))
    }
}
