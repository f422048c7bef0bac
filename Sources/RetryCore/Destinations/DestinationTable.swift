import RetryModel

/// Destinations by number: budget, breaker and the attempts that run.
struct DestinationTable {
    enum Breaker: Hashable {
        case closed
        case open(until: Instant)
        /// - Parameter probe: The attempt under way.
        case halfOpen(probe: OperationID?)
    }

    struct Entry {
        var name: DestinationName
        var policy: DestinationPolicy
        /// Groups of operations there; none: the number is free.
        var groups: [ReadyQueues.GroupIndex] = []
        /// Attempts that run.
        var leasedCount = 0
        var budget: TokenBucket
        var breaker = Breaker.closed
        /// Failures in a row.
        var failures: UInt16 = 0
        /// How often the breaker opened in a row.
        var openings: UInt8 = 0
        var since: WallTime
        /// What its groups were last told.
        var told = Block.none
        /// As it is stored; nil: it is not.
        var stored: DestinationRecord?
    }

    private(set) var entries: ContiguousArray<Entry> = []
    private var numbers: [DestinationName: DestinationIndex] = [:]
    private var free: [DestinationIndex] = []
    /// Those that change by themselves, by when.
    private var wakes = SlotHeap()
    private var positions: SlotHeap.Positions = []

    subscript(index: DestinationIndex) -> Entry {
        @inline(__always) get { entries[Int(index)] }
        @inline(__always) _modify { yield &entries[Int(index)] }
    }

    func index(of name: DestinationName) -> DestinationIndex? { numbers[name] }

    /// Adds a destination that is not in the table.
    mutating func append(
        _ name: DestinationName, _ policy: DestinationPolicy, now: Now
    ) -> DestinationIndex {
        precondition(numbers[name] == nil, "a destination is in the table already")
        let entry = Entry(
            name: name, policy: policy,
            budget: TokenBucket(milli: policy.budgetMax * 1_000, at: now.instant), since: now.wall)
        let index: DestinationIndex
        if let freed = free.popLast() {
            index = freed
            entries[Int(index)] = entry
        } else {
            index = DestinationIndex(entries.count)
            entries.append(entry)
            positions.append(noSlot)
        }
        numbers[name] = index
        return index
    }

    /// Takes a destination in as the store numbered it.
    mutating func restore(
        _ index: DestinationIndex, _ record: DestinationRecord, _ policy: DestinationPolicy,
        now: Now
    ) {
        while entries.count <= Int(index) {
            let blank = DestinationName(name: "", owner: nil)
            free.append(DestinationIndex(entries.count))
            entries.append(
                Entry(
                    name: blank, policy: policy, budget: TokenBucket(milli: 0, at: now.instant),
                    since: now.wall))
            positions.append(noSlot)
        }
        free.removeAll { $0 == index }
        var entry = Entry(
            name: record.name, policy: policy,
            budget: TokenBucket(milli: record.tokensMilli, at: record.tokensAt),
            since: record.since)
        entry.openings = record.openings
        entry.failures = record.failures
        entry.breaker =
            switch record.breaker {
            case .closed: .closed
            case .open: .open(until: record.until)
            case .halfOpen: .halfOpen(probe: record.probe)
            }
        entry.stored = record
        entries[Int(index)] = entry
        numbers[record.name] = index
    }

    /// A destination of which nothing is left.
    mutating func remove(_ index: DestinationIndex) {
        setWake(index, nil)
        numbers[entries[Int(index)].name] = nil
        entries[Int(index)].stored = nil
        free.append(index)
    }

    /// The numbers in use, ascending.
    var numbersInUse: [DestinationIndex] { numbers.values.sorted() }

    // MARK: What stops its groups

    func block(_ index: DestinationIndex, at now: Instant) -> Block {
        let entry = entries[Int(index)]
        switch entry.breaker {
        case .open: return .breaker
        case .halfOpen(probe: .some): return .breaker
        case .halfOpen(probe: nil): return .halfOpen
        case .closed: break
        }
        let policy = entry.policy
        if policy.concurrencyMax > 0, entry.leasedCount >= policy.concurrencyMax { return .full }
        if entry.budget.milli(policy, at: now) < policy.attemptCost * 1_000 { return .budget }
        return .none
    }

    /// When the block of a destination ends by itself; nil: at no time.
    func blockEnd(_ index: DestinationIndex, at now: Instant) -> Instant? {
        let entry = entries[Int(index)]
        switch block(index, at: now) {
        case .breaker:
            if case .open(let until) = entry.breaker { return until }
            return nil
        case .budget:
            let policy = entry.policy
            return entry.budget.moment(ofMilli: policy.attemptCost * 1_000, policy, from: now)
        case .none, .full, .halfOpen, .paused:
            return nil
        }
    }

    // MARK: Time

    /// The destination that changes first by itself, and when.
    var nextWake: (index: DestinationIndex, at: Instant)? {
        wakes.top.map { ($0.slot, Instant(usec: $0.key)) }
    }

    mutating func setWake(_ index: DestinationIndex, _ moment: Instant?) {
        if positions[Int(index)] != noSlot { wakes.remove(index, &positions) }
        if let moment { wakes.push(index, key: moment.usec, &positions) }
    }

    /// The time line was moved: what waits for a time goes on as if none had passed.
    mutating func move(by span: Span) {
        for index in numbersInUse {
            entries[Int(index)].budget.move(by: span)
            if case .open(let until) = entries[Int(index)].breaker {
                entries[Int(index)].breaker = .open(until: until + span)
            }
            guard positions[Int(index)] != noSlot else { continue }
            let wake = Instant(usec: wakes.key(at: positions[Int(index)]))
            setWake(index, wake + span)
        }
    }

    func checkInvariants() {
        wakes.checkInvariants(positions)
        for index in numbersInUse {
            let entry = entries[Int(index)]
            let most = entry.policy.budgetMax * 1_000
            precondition((0...most).contains(entry.budget.storedMilli), "a budget out of bounds")
            precondition(entry.leasedCount >= 0, "attempts at a destination")
        }
    }
}
