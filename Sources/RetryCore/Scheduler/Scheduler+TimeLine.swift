package import RetryModel

/// The time line was behind: the host was off for longer than its wall clock told at the boot.
extension Scheduler {
    /// What was there before the boot comes due earlier by that much; what this boot scheduled is
    /// moved along, and stored so.
    ///
    /// What was scheduled in this boot is told by the wall clock of that time. A clock that was
    /// behind the last run may take something older for it: that waits longer, and nothing is
    /// early. An event remembered in this boot is forgotten earlier.
    /// - Parameters:
    ///   - span: How far the line moves forward.
    ///   - boot: When this boot, or its first run, began: by the clocks before the move.
    ///   - now: After the move.
    package mutating func lineMoved(
        by span: Span, of boot: Now, now: Now, into effects: inout Effects
    ) {
        precondition(span >= .zero, "the time line never goes back")
        let moved = moveSignals(by: span, since: boot.instant, into: &effects)
        let uptimeUsec = (now.instant - boot.instant).usec - span.usec
        let wallOfMove = boot.wall + Span(usec: uptimeUsec)
        let window = seconds(boot.wall)...max(seconds(boot.wall), seconds(wallOfMove))
        movePauses(by: span, ifSince: window, into: &effects)
        destinations.move(by: span)
        for index in destinations.numbersInUse { storeMoved(index, into: &effects) }
        ramp.move(by: span)
        if let all = foregroundOfAll { foregroundOfAll = (all.setter, all.until + span) }

        let began = seconds(boot.instant)
        var ofThisBoot: [SlotNumber] = []
        var held: [SlotNumber] = []
        table.visit { slot, operation in
            if window.contains(operation.sinceSeconds) {
                ofThisBoot.append(slot)
            } else if operation.state == .held, moved.contains(signalHolding(slot)) {
                held.append(slot)
            }
        }
        // Lists of what is kept are in the order in which it is removed.
        ofThisBoot.sort { (table[$0].due, table[$0].id) < (table[$1].due, table[$1].id) }
        for slot in ofThisBoot {
            if table[slot].firstFailedAtSeconds >= began {
                let first = table[slot].firstFailedAt + span
                table[slot].firstFailedAtSeconds = seconds(first)
            }
            move(slot, by: span, now: now, into: &effects)
            effects.add(.save(record(slot)))
        }
        // How long they may be held is counted from a moment that was moved.
        for slot in held { move(slot, by: .zero, now: now, into: &effects) }
        // A date is as far away as before by the wall clock, wherever the line is.
        clockStepped(now: now, into: &effects)
    }

    /// - Precondition: Signals are moved already.
    private mutating func move(
        _ slot: SlotNumber, by span: Span, now: Now, into effects: inout Effects
    ) {
        let due = table[slot].due + span
        switch table[slot].state {
        case .scheduled, .held:
            unplace(slot)
            table[slot].due = due
            settle(slot, .clockStep, now: now, into: &effects)
        case .ready:
            // Its time has come, and its place among the others is by the time at which it came.
            return
        case .leased, .parked, .dead, .succeeded, .cancelled:
            let state = table[slot].state
            unplace(slot)
            table[slot].due = due
            place(slot, state, until: due)
        }
    }

    /// - Returns: Those whose level changed in this boot.
    private mutating func moveSignals(
        by span: Span, since began: Instant, into effects: inout Effects
    ) -> Set<SignalIndex> {
        var moved: Set<SignalIndex> = []
        for entry in signals.all {
            let isChanged = entry.record.changedAt >= began
            // One that was on before may have been given a new end.
            guard isChanged || entry.wasSet else { continue }
            guard let index = signals.index(of: entry.record.name) else { continue }
            var record = entry.record
            record.until = record.until.map { $0 + span }
            if isChanged {
                record.changedAt = record.changedAt + span
                moved.insert(index)
            }
            signals.set(index, to: record)
            effects.add(.saveSignal(index, record))
        }
        return moved
    }

    private mutating func movePauses(
        by span: Span, ifSince window: ClosedRange<UInt32>, into effects: inout Effects
    ) {
        for index in pauses.numbers {
            var record = pauses[index]
            guard let until = record.until, window.contains(seconds(record.since)) else { continue }
            record.until = until + span
            pauses.set(index, to: record)
            effects.add(.savePause(index, record))
        }
    }
}
