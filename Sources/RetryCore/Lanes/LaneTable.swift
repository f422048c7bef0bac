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

    private var lanes: ContiguousArray<Lane> = []
    private var facts: ContiguousArray<Facts> = []
    private var numbers: [Lane: LaneIndex] = [:]
    /// The lane asked for last: mostly the next one too, and comparing is cheaper than hashing.
    private var last: LaneIndex?

    var count: Int { lanes.count }

    subscript(index: LaneIndex) -> Facts { facts[Int(index)] }

    func lane(_ index: LaneIndex) -> Lane { lanes[Int(index)] }

    mutating func index(of lane: Lane) -> LaneIndex? {
        if let last, lanes[Int(last)] == lane { return last }
        guard let known = numbers[lane] else { return nil }
        last = known
        return known
    }

    /// Adds a lane that is not in the table.
    mutating func append(_ lane: Lane, _ facts: Facts, _ policies: PolicyTable) -> LaneIndex {
        precondition(numbers[lane] == nil, "a lane is in the table already")
        let index = LaneIndex(lanes.count)
        lanes.append(lane)
        self.facts.append(facts)
        numbers[lane] = index
        findPolicies(of: Int(index), in: policies)
        return index
    }

    mutating func policiesChanged(to policies: PolicyTable) {
        for lane in lanes.indices { findPolicies(of: lane, in: policies) }
    }

    private mutating func findPolicies(of lane: Int, in policies: PolicyTable) {
        facts[lane].policy = lanes[lane].policy.flatMap { policies.index(named: $0) }
        facts[lane].queuePolicy = policies.index(ofQueue: lanes[lane].queue)
    }
}
