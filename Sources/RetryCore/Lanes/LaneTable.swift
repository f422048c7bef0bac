import RetryModel

/// Lanes by number, and what the scheduler looks up for each of their operations.
struct LaneTable {
    /// Plain numbers only: looked up several times per event, without counting references.
    struct Facts {
        var owner: UserID
        var ownerNumber: Int
        var group: ReadyQueues.GroupIndex
        /// The credential it names, as a signal.
        var credential: SignalIndex?
        /// The foreground it may wait for, as a signal.
        var foreground: SignalIndex
        /// The policy it asks for, when that is in force.
        var policy: PolicyIndex?
        /// The policy of its queue.
        var queuePolicy: PolicyIndex?
    }

    /// Nil: the number is free.
    private var lanes: ContiguousArray<Lane?> = []
    private var facts: ContiguousArray<Facts> = []
    private var uses = NameUses()
    private var countOfOwner: [UserID: Int] = [:]
    private var numbers: [Lane: LaneIndex] = [:]
    /// The lane asked for last: mostly the next one too, and comparing is cheaper than hashing.
    private var last: LaneIndex?

    var count: Int { numbers.count }

    subscript(index: LaneIndex) -> Facts { facts[Int(index)] }

    func lane(_ index: LaneIndex) -> Lane {
        guard let lane = lanes[Int(index)] else { preconditionFailure("there is no such lane") }
        return lane
    }

    /// Lanes of one owner.
    func count(of owner: UserID) -> Int { countOfOwner[owner] ?? 0 }

    mutating func index(of lane: Lane) -> LaneIndex? {
        if let last, lanes[Int(last)] == lane { return last }
        guard let known = numbers[lane] else { return nil }
        last = known
        return known
    }

    /// Adds a lane that is not in the table.
    mutating func append(_ lane: Lane, _ facts: Facts, _ policies: PolicyTable) -> LaneIndex {
        precondition(numbers[lane] == nil, "a lane is in the table already")
        let index = uses.take()
        if Int(index) == lanes.count {
            lanes.append(lane)
            self.facts.append(facts)
        } else {
            while lanes.count <= Int(index) {
                lanes.append(nil)
                self.facts.append(facts)
            }
            lanes[Int(index)] = lane
            self.facts[Int(index)] = facts
        }
        numbers[lane] = index
        countOfOwner[lane.owner, default: 0] += 1
        findPolicies(of: Int(index), in: policies)
        return index
    }

    mutating func policiesChanged(to policies: PolicyTable) {
        for lane in lanes.indices where lanes[lane] != nil { findPolicies(of: lane, in: policies) }
    }

    private mutating func findPolicies(of lane: Int, in policies: PolicyTable) {
        guard let named = lanes[lane] else { return }
        facts[lane].policy = named.policy.flatMap { policies.index(named: $0) }
        facts[lane].queuePolicy = policies.index(ofQueue: named.queue)
    }

    // MARK: Numbers that nothing uses any more

    /// An operation is of that lane.
    mutating func retain(_ index: LaneIndex) { uses.retain(index) }

    mutating func release(_ index: LaneIndex) { uses.release(index) }

    /// The next lane has a number from the store.
    mutating func next(is index: LaneIndex) { uses.next(is: index) }

    /// All are restored: those of no operation are idle.
    mutating func noteIdle() { uses.noteIdle() }

    /// Takes the longest idle lane out when more are kept than may be.
    mutating func removeIdle() -> (index: LaneIndex, facts: Facts)? {
        guard let index = uses.removeIdle(beyond: Limits.namesIdleMax) else { return nil }
        let lane = lane(index)
        lanes[Int(index)] = nil
        numbers[lane] = nil
        countOfOwner[lane.owner, default: 0] -= 1
        if countOfOwner[lane.owner] == 0 { countOfOwner[lane.owner] = nil }
        if last == index { last = nil }
        return (index, facts[Int(index)])
    }

    func checkInvariants() {
        uses.checkInvariants(inUse: numbers.count)
        precondition(countOfOwner.values.reduce(0, +) == numbers.count, "lanes of owners")
    }

    func useCount(_ index: LaneIndex) -> Int { uses.count(index) }
}
