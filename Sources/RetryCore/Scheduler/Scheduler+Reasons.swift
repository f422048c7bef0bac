import RetryModel

/// Why an operation does not run: derived from its state, from the levels it waits for and from
/// what stops its group.
extension Scheduler {
    /// The primary reason, then the others: never two of one code.
    func reasons(_ slot: SlotNumber, now: Now) -> [Reason] {
        let operation = table[slot]
        switch operation.state {
        case .scheduled, .held, .ready:
            return waitingReasons(slot, now: now)
        case .leased:
            return [.leasedBy(lease(of: slot).holder, until: operation.due)]
        case .parked:
            return [.needsOwner(operation.cause, until: operation.due)]
        case .dead:
            return [.dead(operation.cause)]
        case .succeeded, .cancelled:
            return [.ended]
        }
    }

    /// First what a person did, then what only a person or a level can end, then what time ends:
    /// what ends last is named first.
    private func waitingReasons(_ slot: SlotNumber, now: Now) -> [Reason] {
        let operation = table[slot]
        var reasons: [Reason] = []
        if let pause = pauseReason(operation) { reasons.append(pause) }
        reasons += holdReasons(slot, operation)
        let isEarly = operation.state == .held && operation.due > now.instant
        if isEarly || operation.state == .scheduled { reasons.append(waitReason(operation)) }
        let blocked = destinationReason(operation, now: now)
        let turn = Reason.budgetEmpty(destination: nil, until: max(ramp.next, now.instant))
        var isAtDestination = blocked != nil
        // Its turn among many comes before its place at the destination.
        if case .quota = blocked { isAtDestination = false }
        if reasons.isEmpty, !isAtDestination, waitsForTurn(slot, operation) {
            reasons.append(turn)
        }
        if let blocked { reasons.append(blocked) }
        if reasons.isEmpty {
            reasons.append(.noWorker(queue: lanes.lane(operation.lane).queue))
        }
        return reasons
    }

    /// Nothing keeps it back but that many are to go before it.
    private func waitsForTurn(_ slot: SlotNumber, _ operation: OperationSlot) -> Bool {
        // A held one's level is on, and nobody has told it yet.
        guard operation.state == .ready else { return true }
        return ready.isDammed(slot, group: lanes[operation.lane].group, positions)
    }

    private func pauseReason(_ operation: OperationSlot) -> Reason? {
        guard case .paused = ready.block(lanes[operation.lane].group) else { return nil }
        // Of several the one that ends last: before that nothing changes.
        let all = pauses.all(holding: lanes.lane(operation.lane))
        let last = all.max { ($0.until ?? .never) < ($1.until ?? .never) }
        return last.map { .pausedBy($0.author, reason: $0.reason, until: $0.until) }
    }

    /// The levels that hold it; the one it is counted at is the first.
    private func holdReasons(_ slot: SlotNumber, _ operation: OperationSlot) -> [Reason] {
        guard operation.state == .held else { return [] }
        var reasons: [Reason] = []
        // The end that was fixed when the hold began, not what a new policy would make it.
        let until = Instant(usec: time.key(at: positions[Int(slot)]))
        let isCredential = operation.flags.contains(.heldForCredential)
        if isCredential, let credential = lanes[operation.lane].credential,
            !signals.isOn(credential), let name = lanes.lane(operation.lane).credential
        {
            reasons.append(.credentialHeld(name, until: until))
        }
        if let condition = operation.condition, !signals.isOn(condition) {
            reasons.append(
                .signal(
                    signals[condition].name,
                    until: isCredential ? holdEnd(slot, for: condition) : until))
        }
        return reasons
    }

    private func waitReason(_ operation: OperationSlot) -> Reason {
        guard operation.flags.contains(.hasDueWall) else { return .backoffUntil(operation.due) }
        return isClockTrusted
            ? .serverSaidUntil(operation.due) : .clockUntrusted(until: operation.due)
    }

    /// What keeps its destination from being tried.
    private func destinationReason(_ operation: OperationSlot, now: Now) -> Reason? {
        guard let index = ready.key(lanes[operation.lane].group).destination else { return nil }
        let entry = destinations[index]
        switch destinations.block(index, at: now.instant) {
        case .none: return nil
        case .breaker, .halfOpen:
            // One that is still open until a moment that has passed is probed at once.
            return .breakerOpen(
                destination: entry.name.name, until: destinations.blockEnd(index, at: now.instant))
        case .budget:
            return .budgetEmpty(
                destination: entry.name.name,
                until: destinations.blockEnd(index, at: now.instant) ?? .never)
        case .full:
            return .quota(destination: entry.name.name, max: entry.policy.concurrencyMax)
        case .paused:
            preconditionFailure("a destination is paused by its groups")
        }
    }
}
