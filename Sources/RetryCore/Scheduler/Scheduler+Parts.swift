import RetryModel

/// The parts of an operation that lie beside the table, and its whole record.
extension Scheduler {
    /// The whole record, side tables included.
    func record(_ slot: SlotNumber) -> OperationRecord {
        let operation = table[slot]
        var record = operation.bareRecord
        if operation.flags.contains(.hasDeadline) { record.deadline = deadlines[slot] }
        if operation.flags.contains(.hasDueWall) { record.dueWall = dueWalls[slot] }
        if operation.flags.contains(.hasLease) { record.lease = leases[slot] }
        return record
    }

    /// Forgets an operation that is in no place.
    mutating func forget(_ slot: SlotNumber) {
        removeKey(slot)
        setDue(slot, .never)
        setDeadline(slot, nil)
        removeLease(slot)
        setCondition(slot, nil)
        setSize(slot, .unknown)
        lanes.release(table[slot].lane)
        table.remove(slot)
    }

    /// - Parameter condition: The signal its decision asks for.
    mutating func setCondition(_ slot: SlotNumber, _ condition: SignalIndex?) {
        let old = table[slot].condition
        guard old != condition else { return }
        if let condition { signals.retain(condition) }
        if let old { signals.release(old) }
        table[slot].condition = condition
    }

    /// Notes what an operation keeps on disk from now on.
    mutating func setSize(_ slot: SlotNumber, _ size: StoredSize) {
        let owner = lanes[table[slot].lane].ownerNumber
        owners.addBytes(size.bytes - table[slot].size.bytes, toNumber: owner)
        table[slot].size = size
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

    /// - Parameter wall: The date of the wall clock that the moment follows; nil: none.
    mutating func setDue(_ slot: SlotNumber, _ due: Instant, wall: WallTime? = nil) {
        table[slot].due = due
        if let wall {
            dueWalls[slot] = wall
            table[slot].flags.insert(.hasDueWall)
        } else if table[slot].flags.contains(.hasDueWall) {
            dueWalls[slot] = nil
            table[slot].flags.remove(.hasDueWall)
        }
    }

    func deadline(_ slot: SlotNumber) -> WallTime? {
        table[slot].flags.contains(.hasDeadline) ? deadlines[slot] : nil
    }

    mutating func setDeadline(_ slot: SlotNumber, _ deadline: WallTime?) {
        if let deadline {
            deadlines[slot] = deadline
            table[slot].flags.insert(.hasDeadline)
        } else if table[slot].flags.contains(.hasDeadline) {
            deadlines[slot] = nil
            table[slot].flags.remove(.hasDeadline)
        }
    }

    /// The lease of a leased operation.
    func lease(of slot: SlotNumber) -> LeaseRecord {
        guard let lease = leases[slot] else {
            preconditionFailure("a leased operation has no lease")
        }
        return lease
    }

    mutating func setLease(_ slot: SlotNumber, _ lease: LeaseRecord) {
        leases[slot] = lease
        table[slot].flags.insert(.hasLease)
    }

    mutating func removeLease(_ slot: SlotNumber) {
        guard table[slot].flags.contains(.hasLease) else { return }
        leases[slot] = nil
        table[slot].flags.remove(.hasLease)
    }
}
