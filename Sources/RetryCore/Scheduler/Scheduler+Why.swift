package import RetryModel

/// What callers look at: states, reasons, lists. Nothing here changes anything.
extension Scheduler {
    /// An operation as it stands, with its derived face and reason.
    package struct View: Hashable, Sendable {
        package var record: OperationRecord
        /// One of all eight, where the record knows the stored six only.
        package var state: OperationState
        package var reason: Reason
    }

    package func view(_ id: OperationID) -> View? {
        table.slot(of: id).map { view($0) }
    }

    /// An operation the caller may see.
    package func view(_ id: OperationID, for caller: Caller) throws(Refusal) -> View {
        guard let slot = table.slot(of: id) else { throw .noSuchOperation(id) }
        guard caller.mayAct(onOperationsOf: lanes[table[slot].lane].owner) else {
            // As if it were not there: who may not see it is not told that it is.
            throw .noSuchOperation(id)
        }
        return view(slot)
    }

    /// Why an operation does not run at this moment: the primary reason, then the others.
    package func reasons(_ id: OperationID, now: Now) -> [Reason] {
        table.slot(of: id).map { reasons($0, now: now) } ?? []
    }

    /// How many attempts of a queue run. It looks at all that run: for people who ask.
    package func runningCount(queue name: String) -> Int {
        guard let queue = ready.queueIndex(named: name) else { return 0 }
        var count = 0
        for list in leasedBy.values {
            list.visit(in: table) { slot in
                if ready.queue(of: lanes[table[slot].lane].group) == queue { count += 1 }
            }
        }
        return count
    }

    /// What a filter looks at: little, because it is asked of every operation.
    package struct Row {
        package var id: OperationID
        package var state: OperationState
        package var lane: LaneIndex
        package var rule: RuleIndex
        package var keyHash: UInt64
    }

    /// How far the table reaches: `ids` looks through it piece by piece, so that a large one
    /// holds up nobody. An operation stays in its slot.
    package var slotsUsed: Int { Int(table.slotsUsed) }

    /// The ids of the operations of some slots that match, in ascending order.
    package func ids(inSlots slots: Range<Int>, where matches: (Row) -> Bool) -> [OperationID] {
        var found: [OperationID] = []
        for slot in slots.clamped(to: 0..<slotsUsed) {
            let operation = table[SlotNumber(slot)]
            if operation.id.rawValue == 0 { continue }
            let row = Row(
                id: operation.id, state: operation.state, lane: operation.lane,
                rule: operation.rule, keyHash: operation.keyHash)
            if matches(row) { found.append(operation.id) }
        }
        found.sort()
        return found
    }

    // MARK: Parts

    private func view(_ slot: SlotNumber) -> View {
        let state = table[slot].state
        return View(record: record(slot), state: state, reason: primaryReason(slot))
    }

    private func primaryReason(_ slot: SlotNumber) -> Reason {
        let operation = table[slot]
        switch operation.state {
        case .scheduled:
            return waitReason(operation)
        case .held:
            let hold = Hold(
                signal: signalHolding(slot),
                isCredential: operation.flags.contains(.heldForCredential))
            // The end that was fixed when the hold began, not what a new policy would make it.
            let until = Instant(usec: time.key(at: positions[Int(slot)]))
            return holdReason(hold, lane: operation.lane, until: until)
        case .ready:
            return .noWorker(queue: lanes.lane(operation.lane).queue)
        case .leased:
            return .leasedBy(lease(of: slot).holder, until: operation.due)
        case .parked:
            return .needsOwner(operation.cause, until: operation.due)
        case .dead:
            return .dead(operation.cause)
        case .succeeded, .cancelled:
            return .ended
        }
    }

    private func reasons(_ slot: SlotNumber, now: Now) -> [Reason] {
        let operation = table[slot]
        var reasons = [primaryReason(slot)]
        // Scheduled and ready ones wait for nothing else: their levels are all on.
        guard operation.state == .held else { return reasons }
        if operation.flags.contains(.heldForCredential), let condition = operation.condition,
            !signals.isOn(condition)
        {
            reasons.append(
                holdReason(
                    Hold(signal: condition, isCredential: false), lane: operation.lane,
                    until: holdEnd(slot, for: condition)))
        }
        if operation.due > now.instant { reasons.append(waitReason(operation)) }
        return reasons
    }

    private func waitReason(_ operation: OperationSlot) -> Reason {
        operation.flags.contains(.hasDueWall)
            ? .serverSaidUntil(operation.due) : .backoffUntil(operation.due)
    }

    private func holdReason(_ hold: Hold, lane: LaneIndex, until: Instant) -> Reason {
        guard hold.isCredential else { return .signal(signals[hold.signal].name, until: until) }
        guard let credential = lanes.lane(lane).credential else {
            preconditionFailure("held for a credential that the lane does not name")
        }
        return .credentialHeld(credential, until: until)
    }
}
