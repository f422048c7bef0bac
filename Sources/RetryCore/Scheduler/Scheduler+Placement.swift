import RetryModel

/// Where an operation lies: which heap and list each state means. All moves go through here, so
/// that no operation is ever in two places or in none.
extension Scheduler {
    /// Takes a new operation in, in no place yet.
    mutating func insert(_ operation: OperationSlot) -> SlotNumber {
        lanes.retain(operation.lane)
        let slot = table.insert(operation)
        owners.addBytes(operation.size.bytes, toNumber: lanes[operation.lane].ownerNumber)
        if Int(slot) == positions.count {
            positions.append(noSlot)
        }
        return slot
    }

    /// Puts an operation that is nowhere into the place its new state means.
    ///
    /// - Parameters:
    ///   - until: When something happens to it by itself.
    ///   - isDammed: It is ready and waits for the ramp.
    mutating func place(
        _ slot: SlotNumber, _ state: OperationState, until: Instant, isDammed: Bool = false
    ) {
        let lane = lanes[table[slot].lane]
        table[slot].state = state
        count(1, state, lane)
        switch state {
        case .scheduled:
            time.push(slot, key: until.usec, &positions)
            addDependent(slot, lane)
        case .held:
            time.push(slot, key: until.usec, &positions)
            addDependent(slot, lane)
            signals.countHeld(1, for: signalHolding(slot))
        case .ready:
            pushReady(slot, lane, isDammed: isDammed)
            addDependent(slot, lane)
        case .leased:
            time.push(slot, key: until.usec, &positions)
            addToHolder(slot)
            countLeased(1, lane)
        case .parked:
            time.push(slot, key: until.usec, &positions)
        case .dead:
            time.push(slot, key: until.usec, &positions)
            dead.append(slot, owner: lane.ownerNumber, in: &table)
        case .succeeded, .cancelled:
            time.push(slot, key: until.usec, &positions)
            ended.append(slot, owner: lane.ownerNumber, in: &table)
        }
    }

    /// Takes an operation out of the place its state means.
    mutating func unplace(_ slot: SlotNumber) {
        let lane = lanes[table[slot].lane]
        let state = table[slot].state
        count(-1, state, lane)
        switch state {
        case .scheduled:
            time.remove(slot, &positions)
            removeDependent(slot, lane)
        case .held:
            time.remove(slot, &positions)
            signals.countHeld(-1, for: signalHolding(slot))
            removeDependent(slot, lane)
        case .ready:
            let before = ready.tally(lane.group)
            ready.remove(slot, group: lane.group, &positions)
            account(from: before, to: ready.tally(lane.group), ownerNumber: lane.ownerNumber)
            removeDependent(slot, lane)
        case .leased:
            time.remove(slot, &positions)
            removeFromHolder(slot)
            countLeased(-1, lane)
        case .parked:
            time.remove(slot, &positions)
        case .dead:
            time.remove(slot, &positions)
            dead.remove(slot, owner: lane.ownerNumber, in: &table)
        case .succeeded, .cancelled:
            time.remove(slot, &positions)
            ended.remove(slot, owner: lane.ownerNumber, in: &table)
        }
    }

    /// Puts a waiting operation where its face says. It must be in no place.
    ///
    /// Nothing is stored: the faces are derived.
    /// - Parameter trigger: What may make many runnable together, this one among them; nil: it
    ///   comes alone.
    mutating func settle(
        _ slot: SlotNumber, _ trigger: ReleaseTrigger? = nil, now: Now,
        into effects: inout Effects
    ) {
        let id = table[slot].id
        switch face(slot, at: now.instant) {
        case .scheduled:
            place(slot, .scheduled, until: table[slot].due)
            effects.add(.changed(id, shownState(slot) == .held ? .held : .scheduled))
        case .held(let hold):
            if hold.isCredential {
                table[slot].flags.insert(.heldForCredential)
            } else {
                table[slot].flags.remove(.heldForCredential)
            }
            place(slot, .held, until: holdEnd(slot, for: hold.signal))
            effects.add(.changed(id, .held))
        case .ready:
            place(slot, .ready, until: .never, isDammed: dams(slot, trigger, now: now))
            switch shownState(slot) {
            case .ready: effects.add(.changed(id, .ready))
            case .held: effects.add(.changed(id, .held))
            case .scheduled: effects.add(.changed(id, .scheduled))
            case .leased, .parked, .dead, .succeeded, .cancelled:
                preconditionFailure("a ready operation shows as \(shownState(slot))")
            }
            let group = lanes[table[slot].lane].group
            if ready.grantableCount(group) > 0 { effects.addReady(ready.queue(of: group)) }
        }
    }

    /// The state an operation shows: its own, but for what stops its whole group.
    func shownState(_ slot: SlotNumber) -> OperationState {
        let state = table[slot].state
        guard state == .scheduled || state == .ready else { return state }
        let group = lanes[table[slot].lane].group
        switch ready.block(group) {
        case .paused: return .held
        case .breaker, .halfOpen, .budget: return .scheduled
        case .none, .full:
            guard state == .ready else { return .scheduled }
            return ready.isDammed(slot, group: group, positions) ? .scheduled : .ready
        }
    }

    /// What a waiting operation shows of itself.
    enum Face: Equatable {
        case scheduled
        case held(Hold)
        case ready
    }

    /// A signal that is off and keeps an operation back.
    struct Hold: Equatable {
        var signal: SignalIndex
        var isCredential: Bool
    }

    /// A waiting operation's true face: held while a level keeps it back, scheduled while its time
    /// has not come, else ready.
    func face(_ slot: SlotNumber, at moment: Instant) -> Face {
        if let hold = hold(on: slot) { return .held(hold) }
        return table[slot].due > moment ? .scheduled : .ready
    }

    /// The signal that keeps a waiting operation back: its credential, else its condition.
    func hold(on slot: SlotNumber) -> Hold? {
        if let credential = lanes[table[slot].lane].credential, !signals.isOn(credential) {
            return Hold(signal: credential, isCredential: true)
        }
        if let condition = table[slot].condition, !signals.isOn(condition) {
            return Hold(signal: condition, isCredential: false)
        }
        return nil
    }

    /// The face a waiting operation shows at present: where it lies.
    func shownFace(_ slot: SlotNumber) -> Face {
        switch table[slot].state {
        case .scheduled: .scheduled
        case .held:
            .held(
                Hold(
                    signal: signalHolding(slot),
                    isCredential: table[slot].flags.contains(.heldForCredential)))
        case .ready: .ready
        case .leased, .parked, .dead, .succeeded, .cancelled:
            preconditionFailure("an operation that does not wait has no face")
        }
    }

    /// When `max-hold` parks a held operation: counted from the moment nothing but the signal
    /// kept it.
    func holdEnd(_ slot: SlotNumber, for signal: SignalIndex) -> Instant {
        max(table[slot].due, signals[signal].changedAt) + policies[table[slot].policy].holdMax
    }

    /// The signal for which an operation is held.
    func signalHolding(_ slot: SlotNumber) -> SignalIndex {
        let signal =
            table[slot].flags.contains(.heldForCredential)
            ? lanes[table[slot].lane].credential : table[slot].condition
        guard let signal else { preconditionFailure("a held operation waits for no signal") }
        return signal
    }

    // MARK: Parts

    /// Counts an operation in its state. How ready ones show depends on their group: they are
    /// counted where they are pushed and removed.
    private mutating func count(_ change: Int, _ state: OperationState, _ lane: LaneTable.Facts) {
        switch state {
        case .ready: return
        case .scheduled:
            let before = ready.tally(lane.group)
            ready.countScheduled(change, lane.group)
            account(from: before, to: ready.tally(lane.group), ownerNumber: lane.ownerNumber)
        case .held, .leased, .parked, .dead, .succeeded, .cancelled:
            counts[state] += change
            owners[lane.ownerNumber][state] += change
        }
    }

    private mutating func pushReady(
        _ slot: SlotNumber, _ lane: LaneTable.Facts, isDammed: Bool
    ) {
        let before = ready.tally(lane.group)
        let key = ReadyQueues.key(
            priority: table[slot].priority, due: table[slot].due, deadline: deadline(slot))
        ready.push(slot, group: lane.group, key: key, isDammed: isDammed, &positions)
        account(from: before, to: ready.tally(lane.group), ownerNumber: lane.ownerNumber)
    }

    private mutating func countLeased(_ change: Int, _ lane: LaneTable.Facts) {
        guard let destination = ready.key(lane.group).destination else { return }
        destinations[destination].leasedCount += change
    }

    private mutating func addDependent(_ slot: SlotNumber, _ lane: LaneTable.Facts) {
        signals.addDependent(
            slot, credential: lane.credential, condition: table[slot].condition, in: &table)
    }

    private mutating func removeDependent(_ slot: SlotNumber, _ lane: LaneTable.Facts) {
        signals.removeDependent(
            slot, credential: lane.credential, condition: table[slot].condition, in: &table)
    }

    private mutating func addToHolder(_ slot: SlotNumber) {
        leasedBy[lease(of: slot).holder, default: SlotList()].append(slot, in: &table)
    }

    private mutating func removeFromHolder(_ slot: SlotNumber) {
        let holder = lease(of: slot).holder
        guard let place = leasedBy.index(forKey: holder) else {
            preconditionFailure("a lease is not in the list of its holder")
        }
        leasedBy.values[place].remove(slot, in: &table)
        if leasedBy.values[place].count == 0 { leasedBy.remove(at: place) }
    }
}
