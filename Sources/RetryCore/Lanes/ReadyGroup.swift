import RetryModel

/// Why none of a group is handed to workers, all of them at once.
enum Block: Hashable {
    case none
    /// Shows as held.
    case paused(PauseIndex)
    /// The breaker of its destination is open, or its probe runs. Shows as scheduled.
    case breaker
    /// As `breaker`, and one may go: the probe.
    case halfOpen
    /// The budget of its destination is empty. Shows as scheduled.
    case budget
    /// As many attempts at its destination run as may. Shows as ready.
    case full

    /// What lies behind it piles up and is released as a herd.
    var dams: Bool {
        switch self {
        case .paused, .breaker, .halfOpen: true
        case .none, .budget, .full: false
        }
    }
}

/// How the waiting operations of a group show, raw `held` ones apart.
struct GroupTally: Equatable {
    var scheduled = 0
    var held = 0
    var ready = 0
}

/// What tells groups apart. A pause, a breaker and a budget each stop whole groups.
struct GroupKey: Hashable {
    var queue: QueueIndex
    var owner: UserID
    var destination: DestinationIndex?
    var credential: SignalIndex?
}

/// The waiting operations of one queue, owner, destination and credential.
struct ReadyGroup {
    var key: GroupKey
    var line: Int
    /// Lanes of which it is made; none: its number is free.
    var lanes = 0
    /// Those that may run.
    var ready = SlotHeap()
    /// Those whose time has come and that are released by and by (`Ramp`).
    var backlog = SlotHeap()
    /// Those whose time has not come.
    var scheduledCount = 0
    var block = Block.none

    var tally: GroupTally {
        switch block {
        case .none, .full:
            GroupTally(scheduled: scheduledCount + backlog.count, held: 0, ready: ready.count)
        case .paused:
            GroupTally(scheduled: 0, held: scheduledCount + backlog.count + ready.count, ready: 0)
        case .breaker, .halfOpen, .budget:
            GroupTally(scheduled: scheduledCount + backlog.count + ready.count, held: 0, ready: 0)
        }
    }

    /// How many a worker may be given now; for a probe one, whatever others wait.
    var grantableCount: Int {
        switch block {
        case .none: ready.count
        case .halfOpen: first == nil ? 0 : 1
        case .paused, .breaker, .budget, .full: 0
        }
    }

    /// What a worker is given next.
    var first: (key: Int64, slot: SlotNumber)? {
        switch block {
        case .none: return ready.top
        case .halfOpen:
            guard let released = ready.top else { return backlog.top }
            guard let waiting = backlog.top else { return released }
            return released.key <= waiting.key ? released : waiting
        case .paused, .breaker, .budget, .full: return nil
        }
    }

    /// What the ramp releases next.
    var releasable: (key: Int64, slot: SlotNumber)? { block == .none ? backlog.top : nil }

    var releasableCount: Int { block == .none ? backlog.count : 0 }

    /// What piled up is to be released by and by. The larger heap stays as it is: as a rule the
    /// other one is empty.
    mutating func dam(_ positions: inout SlotHeap.Positions) {
        if ready.count > backlog.count { swap(&ready, &backlog) }
        while let top = ready.top {
            ready.remove(top.slot, &positions)
            backlog.push(top.slot, key: top.key, &positions)
        }
    }
}
