import RetryModel

/// Operations that may run, by queue and owner.
///
/// Each owner's operations of one queue are a group with a heap by priority, then due time; a
/// queue's groups take turns, so no owner waits behind another's backlog.
struct ReadyQueues {
    typealias GroupIndex = UInt32

    private struct Group {
        var owner: UserID
        var heap = SlotHeap()
    }

    private struct Queue {
        var name: String
        var groups: [GroupIndex] = []
        /// The group whose turn is next.
        var turn = 0
        var readyCount = 0
    }

    private var groups: ContiguousArray<Group> = []
    private var queueOf: ContiguousArray<QueueIndex> = []
    private var queues: ContiguousArray<Queue> = []
    private var numbers: [String: QueueIndex] = [:]

    func queueIndex(named name: String) -> QueueIndex? { numbers[name] }

    func queue(of group: GroupIndex) -> QueueIndex { queueOf[Int(group)] }

    func name(of queue: QueueIndex) -> String { queues[Int(queue)].name }

    func readyCount(_ queue: QueueIndex) -> Int { queues[Int(queue)].readyCount }

    /// The group of a queue's owner, made when it is the first time.
    mutating func group(queue name: String, owner: UserID) -> GroupIndex {
        let queue: QueueIndex
        if let known = numbers[name] {
            queue = known
        } else {
            queue = QueueIndex(rawValue: UInt32(queues.count))
            queues.append(Queue(name: name))
            numbers[name] = queue
        }
        for group in queues[Int(queue)].groups where groups[Int(group)].owner == owner {
            return group
        }
        let group = GroupIndex(groups.count)
        groups.append(Group(owner: owner))
        queueOf.append(queue)
        queues[Int(queue)].groups.append(group)
        return group
    }

    mutating func push(
        _ slot: SlotNumber, group: GroupIndex, priority: Int8, due: Instant,
        _ positions: inout SlotHeap.Positions
    ) {
        groups[Int(group)].heap.push(
            slot, key: Self.key(priority: priority, due: due), &positions)
        queues[Int(queueOf[Int(group)])].readyCount += 1
    }

    mutating func remove(
        _ slot: SlotNumber, group: GroupIndex, _ positions: inout SlotHeap.Positions
    ) {
        groups[Int(group)].heap.remove(slot, &positions)
        queues[Int(queueOf[Int(group)])].readyCount -= 1
    }

    /// The next operation of a queue whose owner `mayRun`, left in place; the turn passes on.
    mutating func next(in queue: QueueIndex, mayRun: (UserID) -> Bool) -> SlotNumber? {
        let members = queues[Int(queue)].groups
        for step in 0..<members.count {
            let turn = (queues[Int(queue)].turn + step) % members.count
            let group = Int(members[turn])
            guard let top = groups[group].heap.top, mayRun(groups[group].owner) else { continue }
            queues[Int(queue)].turn = (turn + 1) % members.count
            return top.slot
        }
        return nil
    }

    /// Higher priority first, then earlier due: 8 bits above 55 bits of microseconds (1,141 years).
    private static func key(priority: Int8, due: Instant) -> Int64 {
        let rank = Int64(127) - Int64(priority)
        let time = min(max(due.usec, 0), (1 << 55) - 1)
        return rank << 55 | time
    }
}

extension ReadyQueues {
    func checkInvariants(_ positions: SlotHeap.Positions) {
        for queue in queues {
            var count = 0
            for group in queue.groups {
                groups[Int(group)].heap.checkInvariants(positions)
                count += groups[Int(group)].heap.count
            }
            precondition(count == queue.readyCount, "ready count of \(queue.name) is wrong")
        }
    }
}

/// Number of a queue's name in the core. Not stored: it changes with every start.
package struct QueueIndex: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

extension Int {
    init(_ queue: QueueIndex) {
        self = Int(queue.rawValue)
    }
}
