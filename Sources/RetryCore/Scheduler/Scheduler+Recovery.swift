package import RetryModel

/// Taking in what the store kept, at a start. Lanes, signals and policy names come first, in the
/// order of their numbers, then the operations in any order, then `recovered`.
extension Scheduler {
    package mutating func laneRestored(_ lane: Lane, now: Now) {
        var unused = Effects()
        _ = laneIndex(of: lane, now: now, into: &unused)
    }

    package mutating func signalRestored(_ record: SignalRecord) {
        _ = signals.append(record)
    }

    package mutating func policyNameRestored(_ index: PolicyIndex, _ name: String) {
        policies.restore(index, name: name)
    }

    package mutating func eventRestored(_ hash: UInt64, _ id: OperationID) {
        events[hash] = id
    }

    package mutating func idsRestored(reservedThrough: OperationID) {
        nextID = reservedThrough.rawValue + 1
        self.reservedThrough = reservedThrough.rawValue
    }

    /// A stored operation. A lease stands for the reconnect window at least: its worker may just
    /// not have found the daemon again.
    package mutating func operationRestored(
        _ record: OperationRecord, now: Now, into effects: inout Effects
    ) {
        precondition(table.slot(of: record.id) == nil, "an operation is stored twice")
        let slot = insert(OperationSlot(record))
        if let deadline = record.deadline { deadlines[slot] = deadline }
        if let dueWall = record.dueWall {
            setDue(slot, now.instant(of: dueWall), wall: dueWall)
        }
        insertKey(slot)
        switch record.state {
        case .scheduled, .held, .ready:
            settle(slot, now: now, into: &effects)
        case .leased:
            guard let lease = record.lease else {
                preconditionFailure("a leased operation is stored without its lease")
            }
            addLease(slot, lease)
            setDue(slot, max(record.due, now.instant + Limits.restartGrace))
            place(slot, .leased, until: table[slot].due)
        case .parked, .dead, .succeeded, .cancelled:
            place(slot, record.state, until: table[slot].due)
        }
    }
}
