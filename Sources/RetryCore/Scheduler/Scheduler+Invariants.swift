import RetryModel

extension Scheduler {
    /// Everything that must hold between two events. For tests and the simulation: it looks at
    /// every operation.
    package func checkInvariants() {
        time.checkInvariants(positions)
        ready.checkInvariants(positions)
        var seen = StateCounts()
        var keyed = 0
        table.forEach { slot, operation in
            seen[operation.state] += 1
            precondition(positions[Int(slot)] != noSlot, "an operation is in no heap")
            precondition(table.slot(of: operation.id) == slot, "an operation is not in the index")
            if operation.keyHash != 0 {
                keyed += 1
                precondition(operation.state != .succeeded && operation.state != .cancelled)
            }
            precondition((leases[slot] != nil) == (operation.state == .leased), "lease and state")
            precondition(
                (deadlines[slot] != nil) == operation.flags.contains(.hasDeadline), "deadline")
            checkPlace(slot, operation)
        }
        for state in OperationState.allCases {
            precondition(seen[state] == counts[state], "count of a state is wrong")
        }
        precondition(keys.count == keyed, "keys and key index differ")
        precondition(ended.count == seen[.succeeded] + seen[.cancelled], "ended list")
        precondition(dead.count == seen[.dead], "dead list")
        var held = 0
        for entry in signals.entries { held += entry.waiting.count }
        precondition(held == seen[.held], "held operations and waiters differ")
        let leased = leasesOfHolder.values.reduce(0) { $0 + $1.count }
        precondition(leased == leases.count, "leases by holder differ")
    }

    private func checkPlace(_ slot: SlotNumber, _ operation: OperationSlot) {
        let key = positions[Int(slot)]
        switch operation.state {
        case .scheduled, .leased, .parked, .dead, .succeeded, .cancelled:
            precondition(time.key(at: key) == operation.due.usec, "heap key is not the due time")
        case .held:
            let signal = signalHolding(slot)
            precondition(!signals.isOn(signal), "held for a level that is on")
        case .ready:
            break
        }
    }
}
