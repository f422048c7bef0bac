import RetryModel

/// Where an operation lies: which heap and list each state means. All moves go through here, so
/// that no operation is ever in two places or in none.
extension Scheduler {
    /// Takes a new operation in, in no place yet.
    mutating func insert(_ operation: OperationSlot) -> SlotNumber {
        let slot = table.insert(operation)
        if Int(slot) == positions.count {
            positions.append(noSlot)
        }
        return slot
    }

    /// Puts an operation that is nowhere into the place its new state means.
    ///
    /// - Parameter until: When something happens to it by itself.
    mutating func place(_ slot: SlotNumber, _ state: OperationState, until: Instant) {
        table[slot].state = state
        let owner = lanes[table[slot].lane].ownerNumber
        counts[state] += 1
        owners[owner][state] += 1
        switch state {
        case .scheduled, .leased, .parked:
            time.push(slot, key: until.usec, &positions)
        case .held:
            time.push(slot, key: until.usec, &positions)
            signals.addWaiting(slot, to: signalHolding(slot), in: &table)
        case .ready:
            ready.push(
                slot, group: lanes[table[slot].lane].group, priority: table[slot].priority,
                due: table[slot].due, &positions)
        case .dead:
            time.push(slot, key: until.usec, &positions)
            dead.append(slot, in: &table)
        case .succeeded, .cancelled:
            time.push(slot, key: until.usec, &positions)
            ended.append(slot, in: &table)
        }
    }

    /// Takes an operation out of the place its state means.
    mutating func unplace(_ slot: SlotNumber) {
        let state = table[slot].state
        let owner = lanes[table[slot].lane].ownerNumber
        counts[state] -= 1
        owners[owner][state] -= 1
        switch state {
        case .scheduled, .parked:
            time.remove(slot, &positions)
        case .held:
            time.remove(slot, &positions)
            signals.removeWaiting(slot, from: signalHolding(slot), in: &table)
        case .ready:
            ready.remove(slot, group: lanes[table[slot].lane].group, &positions)
        case .leased:
            time.remove(slot, &positions)
            removeLease(slot)
        case .dead:
            time.remove(slot, &positions)
            dead.remove(slot, in: &table)
        case .succeeded, .cancelled:
            time.remove(slot, &positions)
            ended.remove(slot, in: &table)
        }
    }

    /// Shows a waiting operation's true face: held when its credential or condition is off,
    /// scheduled while its time has not come, else ready.
    ///
    /// It must be in no place. Nothing is stored: the faces are derived.
    mutating func settle(_ slot: SlotNumber, now: Now, into effects: inout Effects) {
        let lane = lanes[table[slot].lane]
        table[slot].flags.remove(.heldForCredential)
        if let credential = lane.credential, !signals.isOn(credential) {
            table[slot].flags.insert(.heldForCredential)
            hold(slot, for: credential, into: &effects)
        } else if let condition = table[slot].condition, !signals.isOn(condition) {
            hold(slot, for: condition, into: &effects)
        } else if table[slot].due > now.instant {
            place(slot, .scheduled, until: table[slot].due)
            effects.add(.changed(table[slot].id, .scheduled))
        } else {
            place(slot, .ready, until: .never)
            effects.add(.changed(table[slot].id, .ready))
            effects.add(.becameReady(ready.queue(of: lane.group)))
        }
    }

    private mutating func hold(
        _ slot: SlotNumber, for signal: SignalIndex, into effects: inout Effects
    ) {
        place(slot, .held, until: holdEnd(slot, for: signal))
        effects.add(.changed(table[slot].id, .held))
    }

    /// When `max-hold` parks a held operation: counted from the moment nothing but the signal
    /// kept it.
    func holdEnd(_ slot: SlotNumber, for signal: SignalIndex) -> Instant {
        max(table[slot].due, signals[signal].changedAt) + policies[table[slot].policy].holdMax
    }

    /// The signal in whose list a held operation is.
    func signalHolding(_ slot: SlotNumber) -> SignalIndex {
        let signal =
            table[slot].flags.contains(.heldForCredential)
            ? lanes[table[slot].lane].credential : table[slot].condition
        guard let signal else { preconditionFailure("a held operation waits for no signal") }
        return signal
    }

    mutating func addLease(_ slot: SlotNumber, _ lease: LeaseRecord) {
        leases[slot] = lease
        leasesOfHolder[lease.holder, default: []].append(slot)
    }

    private mutating func removeLease(_ slot: SlotNumber) {
        guard let lease = leases.removeValue(forKey: slot) else {
            preconditionFailure("a leased operation has no lease")
        }
        leasesOfHolder[lease.holder]?.removeAll { $0 == slot }
        if leasesOfHolder[lease.holder]?.isEmpty == true {
            leasesOfHolder[lease.holder] = nil
        }
    }

    /// Forgets an operation that is in no place.
    mutating func forget(_ slot: SlotNumber) {
        removeKey(slot)
        deadlines[slot] = nil
        dueWalls[slot] = nil
        table.remove(slot)
    }

    mutating func insertKey(_ slot: SlotNumber) {
        let hash = table[slot].keyHash
        guard hash != 0 else { return }
        keys.insert(slot, hash: hash) { table[$0].keyHash }
    }

    /// Frees the key of an operation that ends.
    mutating func removeKey(_ slot: SlotNumber) {
        let hash = table[slot].keyHash
        guard hash != 0 else { return }
        keys.remove(slot, hash: hash) { table[$0].keyHash }
        table[slot].keyHash = 0
    }

    /// The whole record, side tables included.
    func record(_ slot: SlotNumber) -> OperationRecord {
        var record = table[slot].bareRecord
        if table[slot].flags.contains(.hasDeadline) { record.deadline = deadlines[slot] }
        if table[slot].flags.contains(.hasDueWall) { record.dueWall = dueWalls[slot] }
        if table[slot].state == .leased { record.lease = leases[slot] }
        return record
    }

    mutating func setDue(_ slot: SlotNumber, _ due: Instant, wall: WallTime? = nil) {
        table[slot].due = due
        dueWalls[slot] = wall
        if wall == nil {
            table[slot].flags.remove(.hasDueWall)
        } else {
            table[slot].flags.insert(.hasDueWall)
        }
    }

    mutating func setDeadline(_ slot: SlotNumber, _ deadline: WallTime?) {
        deadlines[slot] = deadline
        if deadline == nil {
            table[slot].flags.remove(.hasDeadline)
        } else {
            table[slot].flags.insert(.hasDeadline)
        }
    }
}
