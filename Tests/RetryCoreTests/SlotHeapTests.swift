import Testing

@testable import RetryCore

@Suite
struct SlotHeapTests {
    private var heap = SlotHeap()
    private var positions = SlotHeap.Positions(repeating: noSlot, count: 1_000)

    /// Takes everything out, the smallest key first.
    private mutating func drain() -> [Int64] {
        var keys: [Int64] = []
        while let top = heap.top {
            keys.append(top.key)
            heap.remove(top.slot, &positions)
            heap.checkInvariants(positions)
        }
        return keys
    }

    @Test
    func anEmptyHeapHasNoTop() {
        #expect(heap.isEmpty)
        #expect(heap.top == nil)
    }

    @Test
    mutating func theSmallestKeyComesFirst() {
        let keys: [Int64] = [5, 3, 9, -1, 7, 3, .max, .min, 0]
        for (slot, key) in keys.enumerated() {
            heap.push(SlotNumber(slot), key: key, &positions)
            heap.checkInvariants(positions)
        }
        #expect(heap.count == 9)
        #expect(heap.top?.slot == 7)
        #expect(drain() == [.min, -1, 0, 3, 3, 5, 7, 9, .max])
        #expect(positions.allSatisfy { $0 == noSlot })
    }

    @Test
    mutating func tellsTheKeyAtAPosition() {
        heap.push(4, key: 40, &positions)
        heap.push(2, key: 20, &positions)
        #expect(heap.key(at: positions[4]) == 40)
        #expect(heap.key(at: positions[2]) == 20)
    }

    @Test
    mutating func theFirstThatMatchesIsFoundBehindThoseThatDoNot() {
        for slot in SlotNumber(0)..<500 {
            heap.push(slot, key: Int64(slot) * 7_919 % 500, &positions)
        }
        #expect(heap.first(looksMax: 500) { $0 % 100 == 1 }?.key == 19)
        #expect(heap.first(looksMax: 500) { _ in false } == nil)
        // Not looked for any longer than is said.
        #expect(heap.first(looksMax: 1) { $0 == heap.top?.slot }?.key == 0)
        #expect(heap.first(looksMax: 1) { $0 != heap.top?.slot }?.key == 1)
        #expect(heap.first(looksMax: 0) { $0 != heap.top?.slot } == nil)
        #expect(SlotHeap().first(looksMax: 9) { _ in true } == nil)
    }

    @Test
    mutating func removesTheOnlyOne() {
        heap.push(9, key: 1, &positions)
        heap.remove(9, &positions)
        #expect(heap.isEmpty)
        #expect(positions[9] == noSlot)
    }

    /// The last one moves into the gap and may have to go up instead of down: its new parent can
    /// be larger when it comes from another branch.
    @Test
    mutating func theLastOneMayGoUpFromTheGap() {
        // Places 1 to 8 below the first, 9 to 16 below the one with 100, 17 below the one with 1.
        let keys: [Int64] = [0, 100, 1, 51, 52, 53, 54, 55, 56] + (101...108) + [2]
        for (slot, key) in keys.enumerated() {
            heap.push(SlotNumber(slot), key: key, &positions)
        }
        heap.remove(9, &positions)
        heap.checkInvariants(positions)
        #expect(drain() == [0, 1, 2, 51, 52, 53, 54, 55, 56, 100] + Array(102...108))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    mutating func agreesWithASortedListOverManySteps(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model: [SlotNumber: Int64] = [:]
        for _ in 0..<20_000 {
            let slot = SlotNumber(random.number(through: 999))
            if model.removeValue(forKey: slot) != nil {
                heap.remove(slot, &positions)
            } else {
                let key = random.number(through: 500)
                model[slot] = key
                heap.push(slot, key: key, &positions)
            }
            #expect(heap.top?.key == model.values.min())
        }
        heap.checkInvariants(positions)
        #expect(drain() == model.values.sorted())
    }

    @Test
    mutating func givesMemoryBack() {
        positions = SlotHeap.Positions(repeating: noSlot, count: 50_000)
        for slot in 0..<50_000 as Range<SlotNumber> {
            heap.push(slot, key: Int64(slot), &positions)
        }
        // The invariants say that it was done.
        for slot in 0..<49_990 as Range<SlotNumber> {
            heap.remove(slot, &positions)
            if slot % 997 == 0 { heap.checkInvariants(positions) }
        }
        heap.checkInvariants(positions)
        #expect(drain() == Array(49_990..<50_000))
    }

    @Test
    func refusesASlotThatIsInside() async {
        await #expect(processExitsWith: .failure) {
            var heap = SlotHeap()
            var positions = SlotHeap.Positions(repeating: noSlot, count: 2)
            heap.push(1, key: 1, &positions)
            heap.push(1, key: 2, &positions)
        }
    }

    @Test
    func refusesToRemoveWhatIsInAnotherHeap() async {
        await #expect(processExitsWith: .failure) {
            var heap = SlotHeap()
            var other = SlotHeap()
            var positions = SlotHeap.Positions(repeating: noSlot, count: 2)
            heap.push(0, key: 1, &positions)
            other.push(1, key: 1, &positions)
            heap.remove(1, &positions)
        }
    }
}
