package import RetryModel

extension Scheduler {
    /// Time has passed: handles what is due, a bounded number of operations at a time.
    ///
    /// Call again at once while `nextDue` is not after `now`.
    package mutating func timePassed(now: Now, into effects: inout Effects) {
        while let expiry = signals.nextExpiry, expiry.at <= now.instant {
            signalExpired(expiry.index, now: now, into: &effects)
        }
        settleDependents(now: now, into: &effects)
        endPauses(now: now, into: &effects)
        wakeDestinations(now: now, into: &effects)
        forgetEvents(now: now, into: &effects)
        for _ in 0..<Limits.duePerTurnMax {
            guard let top = time.top, top.key <= now.instant.usec else { break }
            cameDue(top.slot, now: now, into: &effects)
        }
        releaseHerd(now: now, into: &effects)
    }

    private mutating func cameDue(_ slot: SlotNumber, now: Now, into effects: inout Effects) {
        switch table[slot].state {
        case .scheduled:
            let isLate = now.instant - table[slot].due > Limits.overdueAfter
            unplace(slot)
            settle(slot, isLate ? .overdue : nil, now: now, into: &effects)
        case .held:
            unplace(slot)
            // Its level may have come on, and nobody has told it yet.
            if hold(on: slot) == nil {
                settle(slot, .signal, now: now, into: &effects)
            } else {
                park(slot, .heldTooLong, now: now, into: &effects)
            }
        case .leased:
            leaseLost(slot, .ranOut, now: now, into: &effects)
        case .parked:
            unplace(slot)
            giveUp(slot, .parkedTooLong, now: now, into: &effects)
        case .dead, .succeeded, .cancelled:
            removeNow(slot, now: now, into: &effects)
        case .ready:
            preconditionFailure("a ready operation waits for no time")
        }
    }
}
