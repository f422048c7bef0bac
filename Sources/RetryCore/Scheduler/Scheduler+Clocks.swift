package import RetryModel

/// What is told of the wall clock. Delays are moments of the time line and do not care.
extension Scheduler {
    /// The wall clock was stepped: what waits for a date follows it, all else stays as it is.
    package mutating func clockStepped(now: Now, into effects: inout Effects) {
        gather(expecting: dueWalls.count)
        // In the order of their numbers: that of a dictionary differs from run to run.
        for slot in dueWalls.keys.sorted() {
            guard table[slot].state.isWaiting, let date = dueWalls[slot] else { continue }
            unplace(slot)
            setDue(slot, now.instant(of: date), wall: date)
            settle(slot, .clockStep, now: now, into: &effects)
        }
        releaseGathered(now: now, into: &effects)
    }

    /// The kernel says that the wall clock is set, or that it is not. Nothing moves by that: it is
    /// a reason alone, for what waits for a date.
    package mutating func clockTrustChanged(to isTrusted: Bool) {
        isClockTrusted = isTrusted
    }
}
