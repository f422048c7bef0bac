package import RetryModel

/// Taking in what the store kept, at a start. First the settings of destinations,
/// then signals, destinations, pauses, lanes and policy names, each in the order of their numbers,
/// then the policies in force, the operations in any order, their events, and `recovered`.
extension Scheduler {
    /// - Precondition: The signals of its foreground and credential are restored: they are stored
    ///   before it.
    package mutating func laneRestored(_ index: LaneIndex, _ lane: Lane, now: Now) {
        var unused = Effects()
        let signalCount = signals.count
        lanes.next(is: index)
        _ = laneIndex(of: lane, now: now, into: &unused)
        precondition(signals.count == signalCount, "a lane is stored without its signals")
    }

    package mutating func signalRestored(_ index: SignalIndex, _ record: SignalRecord) {
        signals.next(is: index)
        _ = signals.append(record)
    }

    package mutating func policyNameRestored(_ index: PolicyIndex, _ name: String) {
        policies.restore(index, name: name)
    }

    /// - Parameter until: When it is forgotten; nil: not while its operation is there.
    package mutating func eventRestored(
        _ hash: UInt64, _ id: OperationID, until: Instant?, now: Now
    ) {
        // Without its operation it has no end of its own: none is remembered for ever.
        let isGone = table.slot(of: id) == nil
        events.insert(hash, id, until: until ?? (isGone ? now.instant + limits.eventKept : nil))
    }

    package mutating func idsRestored(reservedThrough: OperationID) {
        nextID = reservedThrough.rawValue + 1
        self.reservedThrough = reservedThrough.rawValue
    }

    /// All is restored: brings the ended and dead ones into the order in which they are removed,
    /// and begins to release what came due meanwhile.
    package mutating func recovered(now: Now, into effects: inout Effects) {
        var kept: [SlotNumber] = []
        table.visit { slot, operation in
            if !operation.state.isLive { kept.append(slot) }
        }
        kept.sort { (table[$0].due, table[$0].id) < (table[$1].due, table[$1].id) }
        for slot in kept {
            let state = table[slot].state
            unplace(slot)
            place(slot, state, until: table[slot].due)
        }
        lanes.noteIdle()
        signals.noteIdle()
        for index in destinations.numbersInUse {
            probeRestored(index)
            follow(index, .start, now: now, into: &effects)
        }
        releaseGathered(now: now, into: &effects)
    }

    /// A probe that is not under way any more can't tell anything: another one is to go.
    private mutating func probeRestored(_ index: DestinationIndex) {
        guard case .halfOpen(let probe?) = destinations[index].breaker else { return }
        let slot = table.slot(of: probe)
        if slot.map({ table[$0].state == .leased }) ?? false { return }
        destinations[index].breaker = .halfOpen(probe: nil)
    }

    /// A stored operation. A lease stands for the reconnect window at least: its worker may just
    /// not have found the daemon again.
    package mutating func operationRestored(
        _ record: OperationRecord, now: Now, into effects: inout Effects
    ) {
        precondition(table.slot(of: record.id) == nil, "an operation is stored twice")
        isGathering = true
        var record = record
        // Stored before it was kept: what the wall clock says has passed.
        if record.firstFailedAt == nil {
            record.firstFailedAt = min(now.instant(of: record.firstFailure), now.instant)
        }
        let slot = insert(OperationSlot(record))
        if let condition = record.condition { signals.retain(condition) }
        if let deadline = record.deadline { deadlines[slot] = deadline }
        if let lease = record.lease { leases[slot] = lease }
        if let dueWall = record.dueWall {
            setDue(slot, now.instant(of: dueWall), wall: dueWall)
        }
        insertKey(slot)
        switch record.state {
        case .scheduled, .held, .ready:
            settle(slot, .start, now: now, into: &effects)
        case .leased:
            precondition(record.lease != nil, "a leased operation is stored without its lease")
            setDue(slot, max(record.due, now.instant + limits.restartGrace))
            place(slot, .leased, until: table[slot].due)
        case .parked, .dead, .succeeded, .cancelled:
            place(slot, record.state, until: table[slot].due)
        }
    }
}
