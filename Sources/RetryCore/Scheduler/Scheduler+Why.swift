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
            throw .permissionDenied("operation \(id.rawValue) belongs to another user")
        }
        return view(slot)
    }

    /// Why an operation does not run at this moment: the primary reason, then the others.
    package func reasons(_ id: OperationID) -> [Reason] {
        table.slot(of: id).map { reasons($0) } ?? []
    }

    /// What a filter looks at: little, because it is asked of every operation.
    package struct Row {
        package var id: OperationID
        package var state: OperationState
        package var lane: LaneIndex
        package var rule: RuleIndex
        package var keyHash: UInt64
    }

    /// The ids of all operations that match, in ascending order.
    package func ids(where matches: (Row) -> Bool) -> [OperationID] {
        var found: [OperationID] = []
        table.forEach { _, operation in
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
            return operation.flags.contains(.hasDueWall)
                ? .serverSaidUntil(operation.due) : .backoffUntil(operation.due)
        case .held:
            let signal = signalHolding(slot)
            let until = holdEnd(slot, for: signal)
            if operation.flags.contains(.heldForCredential) {
                let name = lanes.lane(operation.lane).credential ?? ""
                return .credentialHeld(name, until: until)
            }
            return .signal(signals[signal].name, until: until)
        case .ready:
            return .noWorker(queue: lanes.lane(operation.lane).queue)
        case .leased:
            guard let lease = leases[slot] else {
                preconditionFailure("a leased operation has no lease")
            }
            return .leasedBy(lease.holder, until: operation.due)
        case .parked:
            return .needsOwner(operation.cause, until: operation.due)
        case .dead:
            return .dead(operation.cause)
        case .succeeded, .cancelled:
            return .ended
        }
    }

    private func reasons(_ slot: SlotNumber) -> [Reason] {
        var reasons = [primaryReason(slot)]
        let operation = table[slot]
        guard operation.state.isWaiting else { return reasons }
        let lane = lanes[operation.lane]
        if operation.state == .held, let last = reasons.first?.until, last > operation.due,
            operation.due.usec > 0
        {
            reasons.append(
                operation.flags.contains(.hasDueWall)
                    ? .serverSaidUntil(operation.due) : .backoffUntil(operation.due))
        }
        if let condition = operation.condition, !signals.isOn(condition),
            operation.state != .held || operation.flags.contains(.heldForCredential)
        {
            reasons.append(
                .signal(signals[condition].name, until: holdEnd(slot, for: condition)))
        }
        if let credential = lane.credential, !signals.isOn(credential), operation.state != .held {
            reasons.append(
                .credentialHeld(
                    lanes.lane(operation.lane).credential ?? "",
                    until: holdEnd(slot, for: credential)))
        }
        return reasons
    }
}
