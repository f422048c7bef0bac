import RetryModel

/// Operations whose time has come, by queue, owner and group.
///
/// A queue's owners take turns, so no owner waits behind another's backlog. All groups of an owner
/// in a queue make up a line: within it, the higher priority goes first, then the nearer deadline,
/// then the earlier due time, whatever group it is of.
struct ReadyQueues {
    typealias GroupIndex = UInt32

    struct Line {
        var queue: QueueIndex
        var owner: UserID
        var groupCount = 0
        /// Groups of which a worker may be given something, by their first.
        var active = SlotHeap()
        /// Groups of which the ramp may release something, by their first.
        var releasable = SlotHeap()
        var releasableCount = 0
    }

    struct Queue {
        var name: String
        var lines: [Int] = []
        /// The line whose turn is next, for workers and for the ramp.
        var turn = 0
        var releaseTurn = 0
        var readyCount = 0
        var releasableCount = 0
    }

    var groups: ContiguousArray<ReadyGroup> = []
    var lines: ContiguousArray<Line> = []
    var queues: ContiguousArray<Queue> = []
    private var numbers: [String: QueueIndex] = [:]
    private var groupNumbers: [GroupKey: GroupIndex] = [:]
    var freeGroups: [GroupIndex] = []
    var freeLines: [Int] = []
    var freeQueues: [QueueIndex] = []
    /// Places of groups in the heaps of their lines.
    var activePositions: SlotHeap.Positions = []
    var releasablePositions: SlotHeap.Positions = []
    /// The queue whose turn it is to have one released.
    var releaseTurn = 0
    /// Those the ramp may release at present.
    private(set) var releasableCount = 0

    func queueIndex(named name: String) -> QueueIndex? { numbers[name] }

    func queue(of group: GroupIndex) -> QueueIndex { groups[Int(group)].key.queue }

    func name(of queue: QueueIndex) -> String { queues[Int(queue)].name }

    /// How many of a queue a worker may be given.
    func readyCount(_ queue: QueueIndex) -> Int { queues[Int(queue)].readyCount }

    func tally(_ group: GroupIndex) -> GroupTally { groups[Int(group)].tally }

    func block(_ group: GroupIndex) -> Block { groups[Int(group)].block }

    /// Whether an operation whose time has come waits for the ramp.
    func isDammed(_ slot: SlotNumber, group: GroupIndex, _ positions: SlotHeap.Positions) -> Bool {
        groups[Int(group)].backlog.contains(slot, positions)
    }

    // MARK: Groups

    /// The group of one lane more, made when it is the first.
    mutating func retainGroup(
        queue name: String, owner: UserID, destination: DestinationIndex? = nil,
        credential: SignalIndex? = nil
    ) -> GroupIndex {
        let queue = queueIndex(makingFor: name)
        let key = GroupKey(
            queue: queue, owner: owner, destination: destination, credential: credential)
        if let known = groupNumbers[key] {
            groups[Int(known)].lanes += 1
            return known
        }
        let line = lineIndex(queue, owner)
        lines[line].groupCount += 1
        var new = ReadyGroup(key: key, line: line)
        new.lanes = 1
        let group: GroupIndex
        if let freed = freeGroups.popLast() {
            group = freed
            groups[Int(group)] = new
        } else {
            group = GroupIndex(groups.count)
            groups.append(new)
            activePositions.append(noSlot)
            releasablePositions.append(noSlot)
        }
        groupNumbers[key] = group
        return group
    }

    /// A lane of the group is gone.
    ///
    /// - Returns: Whether the group is gone with it.
    mutating func releaseGroup(_ group: GroupIndex) -> Bool {
        groups[Int(group)].lanes -= 1
        guard groups[Int(group)].lanes == 0 else { return false }
        let gone = groups[Int(group)]
        precondition(gone.ready.isEmpty && gone.backlog.isEmpty, "a group that is used is removed")
        groupNumbers[gone.key] = nil
        freeGroups.append(group)
        lines[gone.line].groupCount -= 1
        guard lines[gone.line].groupCount == 0 else { return true }
        let queue = gone.key.queue
        queues[Int(queue)].lines.removeAll { $0 == gone.line }
        freeLines.append(gone.line)
        if queues[Int(queue)].lines.isEmpty {
            numbers[queues[Int(queue)].name] = nil
            queues[Int(queue)] = Queue(name: "")
            freeQueues.append(queue)
        }
        return true
    }

    private mutating func queueIndex(makingFor name: String) -> QueueIndex {
        if let known = numbers[name] { return known }
        let queue: QueueIndex
        if let freed = freeQueues.popLast() {
            queue = freed
            queues[Int(queue)] = Queue(name: name)
        } else {
            queue = QueueIndex(rawValue: UInt32(queues.count))
            queues.append(Queue(name: name))
        }
        numbers[name] = queue
        return queue
    }

    private mutating func lineIndex(_ queue: QueueIndex, _ owner: UserID) -> Int {
        for line in queues[Int(queue)].lines where lines[line].owner == owner { return line }
        let line: Int
        if let freed = freeLines.popLast() {
            line = freed
            lines[line] = Line(queue: queue, owner: owner)
        } else {
            line = lines.count
            lines.append(Line(queue: queue, owner: owner))
        }
        queues[Int(queue)].lines.append(line)
        return line
    }

    // MARK: Operations

    /// - Parameter isDammed: It waits for the ramp.
    mutating func push(
        _ slot: SlotNumber, group: GroupIndex, key: Int64, isDammed: Bool = false,
        _ positions: inout SlotHeap.Positions
    ) {
        let before = Standing(groups[Int(group)])
        if isDammed {
            groups[Int(group)].backlog.push(slot, key: key, &positions)
        } else {
            groups[Int(group)].ready.push(slot, key: key, &positions)
        }
        follow(group, before)
    }

    mutating func remove(
        _ slot: SlotNumber, group: GroupIndex, _ positions: inout SlotHeap.Positions
    ) {
        let before = Standing(groups[Int(group)])
        if groups[Int(group)].backlog.contains(slot, positions) {
            groups[Int(group)].backlog.remove(slot, &positions)
        } else {
            groups[Int(group)].ready.remove(slot, &positions)
        }
        follow(group, before)
    }

    mutating func countScheduled(_ change: Int, _ group: GroupIndex) {
        groups[Int(group)].scheduledCount += change
    }

    /// The next operation of a queue whose owner `mayRun`, left in place; the turn passes on.
    mutating func next(in queue: QueueIndex, mayRun: (UserID) -> Bool) -> SlotNumber? {
        let count = queues[Int(queue)].lines.count
        for step in 0..<count {
            let turn = (queues[Int(queue)].turn + step) % count
            let line = queues[Int(queue)].lines[turn]
            guard let group = lines[line].active.top?.slot, mayRun(lines[line].owner),
                let first = groups[Int(group)].first
            else { continue }
            queues[Int(queue)].turn = (turn + 1) % count
            return first.slot
        }
        return nil
    }

    // MARK: Blocks and the ramp

    /// - Parameter damming: What it had ready is released by and by when it is unblocked.
    mutating func setBlock(
        _ group: GroupIndex, _ block: Block, _ positions: inout SlotHeap.Positions
    ) {
        let before = Standing(groups[Int(group)])
        let dammed = groups[Int(group)].block.dams
        groups[Int(group)].block = block
        if dammed, !block.dams { groups[Int(group)].dam(&positions) }
        follow(group, before)
    }

    /// The next operation for the ramp to release: queues take turns, then their owners. It is
    /// ready afterwards.
    ///
    /// - Precondition: There is one (`releasableCount`).
    mutating func releaseNext(
        _ positions: inout SlotHeap.Positions
    ) -> (slot: SlotNumber, group: GroupIndex) {
        let group = nextReleasable()
        guard let top = groups[Int(group)].backlog.top else {
            preconditionFailure("a group without a backlog is to release something")
        }
        let before = Standing(groups[Int(group)])
        groups[Int(group)].backlog.remove(top.slot, &positions)
        groups[Int(group)].ready.push(top.slot, key: top.key, &positions)
        follow(group, before)
        return (top.slot, group)
    }

    private mutating func nextReleasable() -> GroupIndex {
        for step in 0..<queues.count {
            let queue = (releaseTurn + step) % queues.count
            guard queues[queue].releasableCount > 0 else { continue }
            releaseTurn = (queue + 1) % queues.count
            let count = queues[queue].lines.count
            for step in 0..<count {
                let turn = (queues[queue].releaseTurn + step) % count
                let line = queues[queue].lines[turn]
                guard let group = lines[line].releasable.top?.slot else { continue }
                queues[queue].releaseTurn = (turn + 1) % count
                return group
            }
        }
        preconditionFailure("nothing is to be released")
    }

    // MARK: Parts

    /// What lines and queues know of a group.
    private struct Standing {
        var first: Int64?
        var releasable: Int64?
        var grantableCount: Int
        var releasableCount: Int

        init(_ group: borrowing ReadyGroup) {
            first = group.first?.key
            releasable = group.releasable?.key
            grantableCount = group.grantableCount
            releasableCount = group.releasableCount
        }
    }

    /// A group changed: its line and its queue follow.
    private mutating func follow(_ group: GroupIndex, _ before: Standing) {
        let after = Standing(groups[Int(group)])
        let line = groups[Int(group)].line
        let queue = Int(groups[Int(group)].key.queue)
        if after.first != before.first {
            if before.first != nil { lines[line].active.remove(group, &activePositions) }
            if let key = after.first { lines[line].active.push(group, key: key, &activePositions) }
        }
        if after.releasable != before.releasable {
            if before.releasable != nil {
                lines[line].releasable.remove(group, &releasablePositions)
            }
            if let key = after.releasable {
                lines[line].releasable.push(group, key: key, &releasablePositions)
            }
        }
        queues[queue].readyCount += after.grantableCount - before.grantableCount
        let released = after.releasableCount - before.releasableCount
        lines[line].releasableCount += released
        queues[queue].releasableCount += released
        releasableCount += released
    }
}

extension ReadyQueues {
    /// The order in which workers get operations and the ramp releases them: the higher priority,
    /// then the nearer deadline, then the earlier due time.
    ///
    /// 8 bits of priority above one that says that there is no deadline above 54 bits of
    /// microseconds (571 years).
    static func key(priority: Int8, due: Instant, deadline: WallTime?) -> Int64 {
        let rank = Int64(127) - Int64(priority)
        let time = min(max(deadline?.usec ?? due.usec, 0), (1 << 54) - 1)
        return rank << 55 | (deadline == nil ? 1 : 0) << 54 | time
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
