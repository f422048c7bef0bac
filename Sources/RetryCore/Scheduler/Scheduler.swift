package import RetryModel

/// The scheduler: a value that takes events with the time they happened and returns effects.
///
/// It does no I/O, reads no clock and has one seeded source of chance, so a run can be repeated
/// from its seed and its events. Each event is a method, named as what happened or is asked, in
/// `Scheduler+….swift`; docs/STATES.md has the table of states × events.
package struct Scheduler {
    var table = OperationTable()
    /// Every operation but the ready ones, by the moment at which something happens to it by
    /// itself.
    var time = SlotHeap()
    var ready = ReadyQueues()
    /// Lets herds of operations that became runnable together go by and by.
    var ramp = Ramp()
    /// A herd is being gathered: nothing of it goes before all of it is there, so that it goes in
    /// order.
    var isGathering = false
    /// Place of each slot in `time` or in the heap of its ready group.
    var positions: SlotHeap.Positions = []
    var lanes = LaneTable()
    var signals = SignalTable()
    /// Until when scopes that are named for the first time have their foreground, and by whom.
    var foregroundOfAll: (setter: UserID, until: Instant)?
    var destinations = DestinationTable()
    var destinationSettings = DestinationSettings()
    var pauses = PauseTable()
    package internal(set) var policies = PolicyTable()
    var keys = SlotHashIndex()
    var events = EventTable()
    var random: SplitMix64
    /// The kernel says that the wall clock is set.
    var isClockTrusted = true

    // What few operations have.
    var deadlines: [SlotNumber: WallTime] = [:]
    var dueWalls: [SlotNumber: WallTime] = [:]
    /// The newest lease, from its grant until its report: while it runs, and after it was lost or
    /// fenced, so that its worker may still report or is told the truth.
    var leases: [SlotNumber: LeaseRecord] = [:]
    /// What each process runs.
    var leasedBy: [LeaseHolder: SlotList] = [:]

    /// Ended and dead operations.
    var ended = KeptLists()
    var dead = KeptLists()

    package internal(set) var counts = StateCounts()
    var owners = OwnerCounts()
    package internal(set) var limits: SchedulerLimits

    var nextID: Int64 = 1
    var reservedThrough: Int64 = 0

    package init(seed: UInt64, limits: SchedulerLimits = SchedulerLimits()) {
        random = SplitMix64(seed: seed)
        self.limits = limits
    }

    /// When `timePassed` has something to do next; nil: never.
    package var nextDue: Instant? {
        var next = time.top.map { Instant(usec: $0.key) } ?? .never
        if let expiry = signals.nextExpiry?.at { next = min(next, expiry) }
        if let expiry = events.nextExpiry { next = min(next, expiry) }
        if let end = pauses.nextEnd?.at { next = min(next, end) }
        if let wake = destinations.nextWake?.at { next = min(next, wake) }
        if let at = signals.unsettledAt {
            next = min(next, at)
        } else if ready.releasableCount > 0 {
            next = min(next, ramp.next)
        }
        return next == .never ? nil : next
    }

    /// When the next operation may run by itself: the earliest back-off ends, or more of a herd is
    /// released. Nil: none waits for the time, or too much that waits for something else comes
    /// before it to be looked through.
    package var nextRunnable: Instant? {
        var next = Instant.never
        if ready.releasableCount > 0 { next = ramp.next }
        let first = time.first(looksMax: Limits.duePeekMax) { slot in
            guard table[slot].state == .scheduled else { return false }
            if case .paused = ready.block(lanes[table[slot].lane].group) { return false }
            return true
        }
        if let first { next = min(next, Instant(usec: first.key)) }
        return next == .never ? nil : next
    }

    package func counts(of owner: UserID) -> StateCounts {
        owners.counts(of: owner)
    }
}

/// The bounds an administrator may change; the defaults and their reasons are in `Limits`.
package struct SchedulerLimits: Hashable, Sendable {
    package var operationsMax = Limits.operationsMax
    package var operationsPerUserMax = Limits.operationsPerUserMax
    package var bytesPerUserMax = Limits.bytesPerUserMax
    package var endedKeptMax = Limits.endedKeptMax
    package var deadKeptMax = Limits.deadKeptMax
    package var endedKept = Limits.endedKept
    package var deadKept = Limits.deadKept
    package var eventKept = Limits.eventKept
    package var reconnectGrace = Limits.reconnectGrace
    package var restartGrace = Limits.restartGrace

    package init() {}
}

/// Who asks: what the kernel said about the peer, and what follows from the configuration.
package struct Caller: Hashable, Sendable {
    package var user: UserID
    /// Root, the daemon's user or a member of the admin group: sees and changes all.
    package var isAdmin: Bool

    package init(user: UserID, isAdmin: Bool) {
        self.user = user
        self.isAdmin = isAdmin
    }

    package func mayAct(onOperationsOf owner: UserID) -> Bool {
        isAdmin || user == owner
    }
}
