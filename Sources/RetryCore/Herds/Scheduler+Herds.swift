package import RetryModel

/// No herd: what becomes runnable together is released by and by, the highest priority and the
/// nearest deadline first, fair between queues and owners.
extension Scheduler {
    /// Whether an operation whose time has come waits for the ramp. One that stands behind a pause
    /// or an open breaker is dammed when that ends.
    mutating func dams(
        _ slot: SlotNumber, _ trigger: ReleaseTrigger?, now: Now
    ) -> Bool {
        guard let trigger else { return false }
        let group = lanes[table[slot].lane].group
        if ready.block(group).dams { return false }
        // Others came first; or all of them are to be there before the first one goes.
        let mustQueue = ready.releasableCount > 0 || isGathering
        if !mustQueue, ramp.take(at: now.instant) { return false }
        ramp.ask(at: now.instant)
        ramp.heldBack(trigger, at: now.instant)
        return true
    }

    /// Releases as many as the ramp has room for, a bounded number at a time.
    mutating func releaseHerd(now: Now, into effects: inout Effects) {
        if isGathering { return }
        for _ in 0..<Limits.duePerTurnMax {
            guard ready.releasableCount > 0 else { break }
            guard ramp.take(at: now.instant) else { return }
            let before = ready.releasableCount
            let (slot, group) = releaseNext()
            precondition(ready.releasableCount == before - 1, "the ramp released nothing")
            effects.add(.changed(table[slot].id, .ready))
            effects.addReady(ready.queue(of: group))
        }
        if ready.releasableCount == 0, let report = ramp.ended(at: now.instant) {
            effects.add(.herdReleased(report))
        }
    }

    /// Many may become runnable by one event: if they are more than may go at once, all are to be
    /// there before the first one goes.
    mutating func gather(expecting count: Int) {
        if count > ramp.settings.first { isGathering = true }
    }

    /// Nothing goes while a changed level is still being told: the last turn of that releases all.
    mutating func releaseGathered(now: Now, into effects: inout Effects) {
        guard signals.unsettledAt == nil else { return }
        isGathering = false
        releaseHerd(now: now, into: &effects)
    }

    private mutating func releaseNext() -> (slot: SlotNumber, group: ReadyQueues.GroupIndex) {
        let (slot, group) = ready.releaseNext(&positions)
        // From scheduled to ready.
        let owner = lanes[table[slot].lane].ownerNumber
        account(
            from: GroupTally(scheduled: 1, held: 0, ready: 0),
            to: GroupTally(scheduled: 0, held: 0, ready: 1), ownerNumber: owner)
        return (slot, group)
    }

    /// Puts a changed block of a group into effect.
    mutating func setBlock(
        _ group: ReadyQueues.GroupIndex, _ block: Block, _ trigger: ReleaseTrigger, now: Now,
        into effects: inout Effects
    ) {
        let old = ready.block(group)
        guard old != block else { return }
        let before = ready.tally(group)
        ready.setBlock(group, block, &positions)
        let owner = owners.number(of: ready.owner(group))
        account(from: before, to: ready.tally(group), ownerNumber: owner)
        if old.dams, !block.dams, ready.backlogCount(group) > 0 {
            ramp.ask(at: now.instant)
            ramp.heldBack(trigger, at: now.instant)
        }
        if ready.grantableCount(group) > 0 { effects.addReady(ready.queue(of: group)) }
    }

    mutating func account(from before: GroupTally, to after: GroupTally, ownerNumber: Int) {
        func move(_ state: OperationState, _ change: Int) {
            guard change != 0 else { return }
            counts[state] += change
            owners[ownerNumber][state] += change
        }
        move(.scheduled, after.scheduled - before.scheduled)
        move(.held, after.held - before.held)
        move(.ready, after.ready - before.ready)
    }

    /// A herd as Status tells it.
    package struct ReleaseView: Hashable, Sendable {
        package var report: ReleaseReport
        /// How many are still to go.
        package var waiting: Int
        /// When the last of it went; nil: it is being released.
        package var endedAt: Instant?
    }

    /// The herd that is being released, else the last one that was; nil: there was none yet.
    package func release(now: Now) -> ReleaseView? {
        if let herd = ramp.herd {
            return ReleaseView(
                report: herd.report(at: now.instant), waiting: ready.releasableCount)
        }
        return ramp.last.map {
            ReleaseView(report: $0.report, waiting: 0, endedAt: $0.endedAt)
        }
    }

    package mutating func rampChanged(to settings: RampSettings) {
        ramp.settings = settings
    }
}
