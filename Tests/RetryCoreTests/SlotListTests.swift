import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SlotListTests {
    private var table = OperationTable()
    private var list = SlotList()

    init() {
        for number in 1...6 as ClosedRange<Int64> {
            _ = table.insert(OperationSlot(id: OperationID(rawValue: number), lane: 0))
        }
    }

    private var slots: [SlotNumber] {
        var slots: [SlotNumber] = []
        list.visit(in: table) { slots.append($0) }
        return slots
    }

    private mutating func fill() {
        for slot in 0..<4 as Range<SlotNumber> { list.append(slot, in: &table) }
    }

    @Test
    mutating func firstInFirstOut() {
        fill()
        #expect(slots == [0, 1, 2, 3])
        #expect(list.first == 0)
        #expect(list.last == 3)
        #expect(list.count == 4)
    }

    @Test(
        arguments: [
            (0, [1, 2, 3]), (1, [0, 2, 3]), (2, [0, 1, 3]), (3, [0, 1, 2]),
        ] as [(SlotNumber, [SlotNumber])])
    mutating func removesFromAnyPlace(removed: SlotNumber, left: [SlotNumber]) {
        fill()
        list.remove(removed, in: &table)
        #expect(slots == left)
        #expect(list.first == left[0])
        #expect(list.last == left[2])
        #expect(list.count == 3)
        #expect(table[removed].next == noSlot)
        #expect(table[removed].previous == noSlot)
    }

    @Test
    mutating func isEmptyAfterTheLastOne() {
        list.append(5, in: &table)
        list.remove(5, in: &table)
        #expect(list.first == noSlot)
        #expect(list.last == noSlot)
        #expect(list.count == 0)
        #expect(slots == [])
    }

    @Test
    mutating func takesBackWhatLeft() {
        fill()
        list.remove(1, in: &table)
        list.append(1, in: &table)
        #expect(slots == [0, 2, 3, 1])
    }

    @Test
    func refusesToRemoveTheFirstOfAnotherList() async {
        await #expect(processExitsWith: .failure) {
            var test = SlotListTests()
            var other = SlotList()
            other.append(4, in: &test.table)
            test.fill()
            test.list.remove(4, in: &test.table)
        }
    }
}
