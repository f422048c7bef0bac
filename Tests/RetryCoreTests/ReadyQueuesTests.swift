import RetryModel
import Testing

@testable import RetryCore

@Suite
struct ReadyQueuesTests {
    private var ready = ReadyQueues()
    private var positions = SlotHeap.Positions(repeating: noSlot, count: 100)

    private mutating func push(
        _ slot: SlotNumber, _ queue: String = "q", owner: UserID = 1, priority: Int8 = 0,
        due: Int64 = 0
    ) {
        ready.push(
            slot, group: ready.group(queue: queue, owner: owner), priority: priority,
            due: Instant(usec: due), &positions)
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
            let group = ready.group(queue: name, owner: owners[slot] ?? 1)
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
        #expect(ready.queue(of: ready.group(queue: "b", owner: 1)) == queue)
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
}
