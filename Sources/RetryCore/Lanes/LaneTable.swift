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
    }

    private var lanes: ContiguousArray<Lane> = []
    private var facts: ContiguousArray<Facts> = []
    private var numbers: [Lane: LaneIndex] = [:]

    var count: Int { lanes.count }

    subscript(index: LaneIndex) -> Facts { facts[Int(index)] }

    func lane(_ index: LaneIndex) -> Lane { lanes[Int(index)] }

    func index(of lane: Lane) -> LaneIndex? { numbers[lane] }

    /// Adds a lane that is not in the table.
    mutating func append(_ lane: Lane, _ facts: Facts) -> LaneIndex {
        let index = LaneIndex(lanes.count)
        lanes.append(lane)
        self.facts.append(facts)
        numbers[lane] = index
        return index
    }
}
