import RetryModel

extension Scheduler {
    /// Everything that must hold between two events. For tests and the simulation: it looks at
    /// every operation.
    package func checkInvariants() {
        time.checkInvariants(positions)
        destinations.checkInvariants()
        lanes.checkInvariants()
        signals.checkInvariants()
        ready.checkInvariants(positions)
        var seen = StateCounts()
        var keyed = 0
        table.visit { slot, operation in
            seen[shownState(slot)] += 1
            precondition(positions[Int(slot)] != noSlot, "an operation is in no heap")
            precondition(table.slot(of: operation.id) == slot, "an operation is not in the index")
            if operation.keyHash != 0 {
                keyed += 1
                precondition(operation.state != .succeeded && operation.state != .cancelled)
            }
            checkParts(slot, operation)
            checkPlace(slot, operation)
        }
        for state in OperationState.allCases {
            precondition(seen[state] == counts[state], "count of a state is wrong")
        }
        precondition(keys.count == keyed, "keys and key index differ")
        precondition(ended.count == seen[.succeeded] + seen[.cancelled], "ended list")
        precondition(dead.count == seen[.dead], "dead list")
        let leased = leasedBy.values.reduce(0) { $0 + $1.count }
        precondition(leased == seen[.leased], "leased operations and those of holders differ")
        let held = signals.all.reduce(0) { $0 + $1.held }
        var heldBySignal = 0
        table.visit { _, operation in heldBySignal += operation.state == .held ? 1 : 0 }
        precondition(held == heldBySignal, "held operations and their signals differ")
        checkBlocks()
        events.checkInvariants()
        checkOwners()
    }

    private func checkOwners() {
        for state in OperationState.allCases {
            precondition(owners.total(state) == counts[state], "counts of owners differ")
        }
        var bytes = 0
        table.visit { _, operation in bytes += operation.size.bytes }
        precondition(owners.totalBytes == bytes, "bytes of owners differ")
    }

    /// What stops each group is what should.
    private func checkBlocks() {
        for group in ready.groupNumbersInUse {
            let pause = pauses.first(holding: laneLike(group))
            let destination = ready.key(group).destination
            let block = pause.map { Block.paused($0) } ?? destination.map { destinations[$0].told }
            precondition(ready.block(group) == block ?? .none, "a group and what stops it differ")
        }
        for index in destinations.numbersInUse {
            let entry = destinations[index]
            let most = entry.policy.concurrencyMax
            precondition(entry.told != .none || most == 0 || entry.leasedCount < most, "too many")
        }
    }

    private func checkParts(_ slot: SlotNumber, _ operation: OperationSlot) {
        let flags = operation.flags
        precondition((leases[slot] != nil) == flags.contains(.hasLease), "lease and flag")
        precondition((deadlines[slot] != nil) == flags.contains(.hasDeadline), "deadline")
        precondition((dueWalls[slot] != nil) == flags.contains(.hasDueWall), "date of due")
        if flags.contains(.tokenOpen) {
            precondition(flags.contains(.hasLease), "an open token without its lease")
        }
        if operation.state == .leased {
            precondition(flags.contains(.tokenOpen), "a lease without an open token")
        }
        let isKept = operation.state == .parked || operation.state == .dead
        precondition((operation.cause != .none) == isKept, "cause and state")
    }

    private func checkPlace(_ slot: SlotNumber, _ operation: OperationSlot) {
        switch operation.state {
        case .scheduled, .leased, .parked, .dead, .succeeded, .cancelled:
            let key = time.key(at: positions[Int(slot)])
            precondition(key == operation.due.usec, "heap key is not the due time")
        case .held, .ready:
            break
        }
        guard operation.state.isWaiting, signals.unsettledAt == nil else { return }
        let hold = hold(on: slot)
        precondition((hold != nil) == (operation.state == .held), "held and levels")
        if let hold { precondition(shownFace(slot) == .held(hold), "held for another signal") }
    }
}
