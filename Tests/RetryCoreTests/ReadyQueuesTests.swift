import RetryModel
import Testing

@testable import RetryCore

@Suite
struct ReadyQueuesTests {
    private var ready = ReadyQueues()
    private var positions = SlotHeap.Positions(repeating: noSlot, count: 100)

    private mutating func push(
        _ slot: SlotNumber, _ queue: String = "q", owner: UserID = 1, priority: Int8 = 0,
        due: Int64 = 0, destination: DestinationIndex? = nil, deadline: Int64? = nil,
        isDammed: Bool = false
    ) {
        let group = ready.retainGroup(queue: queue, owner: owner, destination: destination)
        let key = ReadyQueues.key(
            priority: priority, due: Instant(usec: due),
            deadline: deadline.map { WallTime(usec: $0) })
        ready.push(slot, group: group, key: key, isDammed: isDammed, &positions)
        ready.checkInvariants(positions)
    }

    /// Of one of the groups that `push` made.
    private mutating func group(
        _ queue: String = "q", owner: UserID = 1, destination: DestinationIndex? = nil
    ) -> ReadyQueues.GroupIndex {
        ready.retainGroup(queue: queue, owner: owner, destination: destination)
    }

    /// Takes out all that may run, in the order in which workers get it.
    private mutating func drain(
        _ name: String = "q", owners: [SlotNumber: UserID] = [:],
        mayRun: (UserID) -> Bool = { _ in true }
    ) throws -> [SlotNumber] {
        let queue = try #require(ready.queueIndex(named: name))
        var slots: [SlotNumber] = []
        while let slot = ready.next(in: queue, mayRun: mayRun) {
            slots.append(slot)
            let group = group(name, owner: owners[slot] ?? 1)
            ready.remove(slot, group: group, &positions)
            ready.checkInvariants(positions)
        }
        return slots
    }

    @Test
    mutating func namesAndNumbersOfQueues() throws {
        push(0, "a")
        push(1, "b")
        push(2, "b")
        let queue = try #require(ready.queueIndex(named: "b"))
        #expect(ready.name(of: queue) == "b")
        #expect(ready.readyCount(queue) == 2)
        #expect(ready.queue(of: group("b")) == queue)
        #expect(ready.queueIndex(named: "c") == nil)
    }

    @Test
    mutating func theEarliestDueRunsFirst() throws {
        push(0, due: 30)
        push(1, due: 10)
        push(2, due: 20)
        #expect(try drain() == [1, 2, 0])
    }

    @Test
    mutating func priorityGoesBeforeDue() throws {
        push(0, priority: 0, due: 1)
        push(1, priority: 5, due: 30)
        push(2, priority: -5, due: 0)
        push(3, priority: 5, due: 20)
        #expect(try drain() == [3, 1, 0, 2])
    }

    @Test
    mutating func theLimitsOfPriorityAndTimeKeepTheirOrder() throws {
        push(0, priority: .min, due: .min)
        push(1, priority: .min, due: .max)
        push(2, priority: .max, due: .max)
        push(3, priority: .max, due: .min)
        #expect(try drain() == [3, 2, 0, 1])
    }

    @Test
    mutating func ownersTakeTurnsWhateverTheirBacklogAndPriority() throws {
        var owners: [SlotNumber: UserID] = [:]
        for slot in 0..<6 as Range<SlotNumber> {
            push(slot, owner: 1, priority: 100, due: Int64(slot))
            owners[slot] = 1
        }
        for slot in 10..<12 as Range<SlotNumber> {
            push(slot, owner: 2, priority: -100, due: Int64(slot))
            owners[slot] = 2
        }
        push(20, owner: 3)
        owners[20] = 3
        #expect(try drain(owners: owners) == [0, 10, 20, 1, 11, 2, 3, 4, 5])
    }

    @Test
    mutating func passesOverOwnersAWorkerMayNotServe() throws {
        push(0, owner: 1)
        push(1, owner: 2)
        push(2, owner: 1)
        #expect(try drain(owners: [1: 2], mayRun: { $0 == 2 }) == [1])
        let queue = try #require(ready.queueIndex(named: "q"))
        #expect(ready.readyCount(queue) == 2)
        #expect(ready.next(in: queue) { _ in false } == nil)
    }

    @Test
    mutating func queuesAreApart() throws {
        push(0, "a")
        push(1, "b")
        #expect(try drain("a") == [0])
        #expect(try drain("b") == [1])
    }

    // MARK: Groups

    @Test
    mutating func aLineGoesByPriorityWhateverTheDestination() throws {
        push(0, priority: 0, due: 1, destination: 1)
        push(1, priority: 5, due: 30, destination: 2)
        push(2, priority: 5, due: 20, destination: 1)
        let queue = try #require(ready.queueIndex(named: "q"))
        var order: [SlotNumber] = []
        for destination in [1, 2, 1] as [DestinationIndex] {
            let slot = try #require(ready.next(in: queue) { _ in true })
            order.append(slot)
            ready.remove(slot, group: group(destination: destination), &positions)
        }
        #expect(order == [2, 1, 0])
        #expect(ready.readyCount(queue) == 0)
    }

    @Test
    mutating func aNearerDeadlineGoesBeforeAnEarlierDue() throws {
        push(0, due: 10)
        push(1, due: 30, deadline: 900)
        push(2, due: 20, deadline: 800)
        push(3, priority: 1, due: 40)
        #expect(try drain() == [3, 2, 1, 0])
    }

    @Test
    mutating func aBlockedGroupGivesNothing() throws {
        push(0, destination: 1)
        push(1, destination: 2)
        let queue = try #require(ready.queueIndex(named: "q"))
        let stopped = group(destination: 1)
        for block in [Block.budget, .full, .breaker, .paused(1)] {
            ready.setBlock(stopped, block, &positions)
            ready.checkInvariants(positions)
            #expect(ready.next(in: queue) { _ in true } == 1)
            #expect(ready.readyCount(queue) == 1)
            ready.setBlock(stopped, .none, &positions)
            // Behind the last two things pile up.
            #expect(ready.readyCount(queue) == (block.dams ? 1 : 2))
        }
        #expect(ready.releasableCount == 1)
    }

    @Test
    mutating func whatPiledUpBehindAPauseIsReleasedOneByOneInOrder() throws {
        push(0, due: 1)
        push(1, priority: 9, due: 2)
        let group = group()
        let queue = try #require(ready.queueIndex(named: "q"))
        ready.setBlock(group, .paused(1), &positions)
        #expect(ready.tally(group) == GroupTally(scheduled: 0, held: 2, ready: 0))
        ready.setBlock(group, .none, &positions)
        #expect(ready.tally(group) == GroupTally(scheduled: 2, held: 0, ready: 0))
        #expect(ready.releasableCount == 2)
        #expect(ready.next(in: queue) { _ in true } == nil)
        var released = ready.releaseNext(&positions)
        #expect(released == (1, group))
        ready.checkInvariants(positions)
        #expect(ready.next(in: queue) { _ in true } == 1)
        released = ready.releaseNext(&positions)
        #expect(released == (0, group))
        #expect(ready.releasableCount == 0)
    }

    @Test
    mutating func oneProbeMayGoOfAHalfOpenGroup() throws {
        push(0, due: 5)
        push(1, due: 3, isDammed: true)
        let group = group()
        let queue = try #require(ready.queueIndex(named: "q"))
        ready.setBlock(group, .halfOpen, &positions)
        #expect(ready.readyCount(queue) == 1)
        #expect(ready.next(in: queue) { _ in true } == 1)
        #expect(ready.tally(group) == GroupTally(scheduled: 2, held: 0, ready: 0))
    }

    @Test
    mutating func theRampTakesQueuesAndOwnersInTurn() throws {
        for slot in 0..<4 as Range<SlotNumber> {
            push(slot, owner: 1, due: Int64(slot), isDammed: true)
        }
        push(10, owner: 2, isDammed: true)
        push(20, "r", owner: 1, isDammed: true)
        var order: [SlotNumber] = []
        while ready.releasableCount > 0 {
            order.append(ready.releaseNext(&positions).slot)
            ready.checkInvariants(positions)
        }
        #expect(order == [0, 20, 10, 1, 2, 3])
    }

    @Test
    mutating func groupsLinesAndQueuesAreGivenBackWithTheirLastLane() throws {
        let first = ready.retainGroup(queue: "a", owner: 1)
        #expect(group("a") == first)
        let isGone = [ready.releaseGroup(first), ready.releaseGroup(first)]
        #expect(isGone == [false, true])
        #expect(ready.queueIndex(named: "a") == nil)
        #expect(group("b", owner: 2) == first)
        #expect(ready.queues.count == 1)
        #expect(ready.lines.count == 1)
        ready.checkInvariants(positions)
    }
}
