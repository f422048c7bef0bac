package import RetryModel

/// A granted attempt; payload and failure are read from the store.
package struct Grant: Hashable, Sendable {
    package var record: OperationRecord
    package var lane: Lane
    /// Number of the attempt that begins.
    package var attempt: Int
    /// When it was due; it may have waited longer for a worker or a signal.
    package var wasDue: Instant
    /// How long a unit that was started must last to have succeeded: the policy's `reset-after`.
    package var resetAfter: Span
}

extension Scheduler {
    /// A worker asks for up to `count` attempts of a queue.
    ///
    /// Each grant is stored before it may be answered, its recovery already counted.
    /// - Parameters:
    ///   - mayRun: Whether the worker may run operations of an owner.
    ///   - visibility: How long a lease stands without a word; nil: what the policy says.
    ///   - bytesMax: When what was granted keeps so much on disk, no further one is.
    package mutating func leaseAsked(
        queue name: String, count: Int, holder: LeaseHolder, visibility: Span?,
        bytesMax: Int = .max, mayRun: (UserID) -> Bool, now: Now, into effects: inout Effects
    ) -> [Grant] {
        guard let queue = ready.queueIndex(named: name) else { return [] }
        releaseHerd(now: now, into: &effects)
        var grants: [Grant] = []
        var passedOver = 0
        var bytes = 0
        while grants.count < count, bytes < bytesMax,
            let slot = ready.next(in: queue, mayRun: mayRun)
        {
            let group = lanes[table[slot].lane].group
            bytes += table[slot].size.bytes
            unplace(slot)
            // A level may have fallen, and nobody has told it yet.
            if hold(on: slot) != nil {
                settle(slot, now: now, into: &effects)
                passedOver += 1
                // The rest of them are told by and by; then whoever waits asks again.
                if passedOver == Limits.settledPerTurnMax { break }
                continue
            }
            let granted = grant(
                slot, holder: holder, visibility: visibility, now: now, into: &effects)
            grants.append(granted)
            attemptBegins(granted.record.id, group, now: now, into: &effects)
        }
        return grants
    }

    /// The queue's number, for matching `becameReady` with workers that wait; nil while nothing
    /// was ever handed over for it.
    package func queueIndex(named name: String) -> QueueIndex? { ready.queueIndex(named: name) }

    package func queueName(_ queue: QueueIndex) -> String { ready.name(of: queue) }

    /// How many operations of a queue may run.
    package func readyCount(_ queue: QueueIndex) -> Int { ready.readyCount(queue) }

    /// A worker is still at it. A lost lease is taken up again, as long as nobody else was given
    /// the operation: stopping the attempt would only waste it.
    ///
    /// - Parameter holder: Who runs the attempt from now on; nil: who ran it before.
    /// - Returns: When the lease now runs out.
    /// - Throws: `.noSuchOperation`, `.staleLease` with the present state.
    package mutating func leaseExtended(
        _ id: OperationID, token: LeaseToken, visibility: Span?, holder: LeaseHolder?,
        by caller: Caller, now: Now, into effects: inout Effects
    ) throws(Refusal) -> Instant {
        let slot = try slot(of: id, reportedBy: caller)
        let state = table[slot].state
        guard table[slot].token == token, table[slot].flags.contains(.tokenOpen),
            state == .leased || state.isWaiting || state == .parked
        else { throw .staleLease(shownState(slot)) }
        let old = lease(of: slot)
        var new = old
        if let holder { new.holder = holder }
        if let visibility { new.visibility = visibility }
        unplace(slot)
        table[slot].cause = .none
        setLease(slot, new)
        setDue(slot, now.instant + new.visibility)
        place(slot, .leased, until: table[slot].due)
        // The new end is not stored: after a restart a lease stands for the reconnect window
        // anyway. A new holder is, because its death is what ends the lease.
        if state != .leased || new != old { effects.add(.save(record(slot))) }
        if state != .leased {
            effects.add(.changed(id, .leased))
            // One more runs at its destination: others may have to wait.
            if let destination = ready.key(lanes[table[slot].lane].group).destination {
                follow(destination, .breaker, now: now, into: &effects)
            }
        }
        return table[slot].due
    }

    /// The process that ran attempts has ended: its leases are lost.
    package mutating func holderDied(
        _ holder: LeaseHolder, now: Now, into effects: inout Effects
    ) -> Int {
        var count = 0
        gather(expecting: leasedBy[holder]?.count ?? 0)
        // Each loss takes one out of the list.
        while let list = leasedBy[holder] {
            leaseLost(list.first, .unknown, now: now, into: &effects)
            count += 1
        }
        releaseGathered(now: now, into: &effects)
        return count
    }

    /// The last connection of a process closed: it may come back within the grace, and goes on
    /// with what it extends.
    package mutating func holderDisconnected(_ holder: LeaseHolder, now: Now) {
        var slot = leasedBy[holder]?.first ?? noSlot
        while slot != noSlot {
            let end = min(table[slot].due, now.instant + limits.reconnectGrace)
            time.remove(slot, &positions)
            setDue(slot, end)
            time.push(slot, key: end.usec, &positions)
            slot = table[slot].next
        }
    }

    /// The processes that hold leases, for watching their deaths after a restart.
    package var holders: [LeaseHolder] {
        leasedBy.keys.sorted {
            ($0.process, $0.startTicks, $0.user) < ($1.process, $1.startTicks, $1.user)
        }
    }

    // MARK: Parts

    private mutating func grant(
        _ slot: SlotNumber, holder: LeaseHolder, visibility: Span?, now: Now,
        into effects: inout Effects
    ) -> Grant {
        let lane = lanes[table[slot].lane]
        let stands = visibility ?? policies[table[slot].policy].visibility
        setLease(
            slot,
            LeaseRecord(
                holder: holder, visibility: stands, startedAt: now.wall,
                credentialGeneration: lane.credential.map { signals[$0].generation } ?? 0,
                hadForeground: signals.isOn(lane.foreground)))
        table[slot].token.rawValue &+= 1
        table[slot].flags.insert(.tokenOpen)
        if table[slot].recoveries < .max { table[slot].recoveries += 1 }
        table[slot].sinceSeconds = seconds(now.wall)
        let wasDue = table[slot].due
        setDue(slot, now.instant + stands)
        place(slot, .leased, until: table[slot].due)
        let record = record(slot)
        effects.add(.save(record))
        effects.add(.changed(record.id, .leased))
        return Grant(
            record: record, lane: lanes.lane(table[slot].lane),
            attempt: Int(table[slot].attempts) + 1, wasDue: wasDue,
            resetAfter: policies[table[slot].policy].resetAfter)
    }

    /// The lease ended without a report.
    mutating func leaseLost(
        _ slot: SlotNumber, _ evidence: Evidence, now: Now, into effects: inout Effects
    ) {
        unplace(slot)
        attemptEnded(slot, evidence, now: now, into: &effects)
        effects.add(.changed(table[slot].id, .leaseLost))
        if table[slot].isIdempotent == false {
            return park(slot, .outcomeUnknown, now: now, into: &effects)
        }
        if table[slot].recoveries >= policies[table[slot].policy].recoveriesMax {
            return park(slot, .recoveries, now: now, into: &effects)
        }
        table[slot].sinceSeconds = seconds(now.wall)
        setDue(slot, now.instant)
        settle(slot, .leaseLost, now: now, into: &effects)
        effects.add(.save(record(slot)))
    }

    /// Whether a caller may tell how an attempt ended: it may act on the operation, or runs it or
    /// ran it last.
    package func mayReport(on id: OperationID, _ caller: Caller) -> Bool {
        (try? slot(of: id, reportedBy: caller)) != nil
    }

    /// The operation, if the caller may act on it, or runs it or ran it last.
    func slot(
        of id: OperationID, reportedBy caller: Caller
    ) throws(Refusal) -> SlotNumber {
        guard let slot = table.slot(of: id) else { throw .noSuchOperation(id) }
        let owner = lanes[table[slot].lane].owner
        if caller.mayAct(onOperationsOf: owner) { return slot }
        if let lease = leases[slot], lease.holder.user == caller.user { return slot }
        throw .noSuchOperation(id)
    }
}
