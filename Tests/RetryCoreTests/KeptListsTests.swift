import RetryModel
import Testing

@testable import RetryCore

@Suite
struct KeptListsTests {
    private var table = OperationTable()
    private var lists = KeptLists()

    private mutating func add(owner: Int) -> SlotNumber {
        let id = OperationID(rawValue: Int64(lists.count + 1))
        let slot = table.insert(OperationSlot(id: id, lane: 0))
        lists.append(slot, owner: owner, in: &table)
        return slot
    }

    @Test
    mutating func theLargestLosesItsOldest() {
        let few = add(owner: 5)
        let many = (0..<3).map { _ in add(owner: 2) }
        #expect(lists.count == 4)
        #expect(lists.firstOfLargest == many[0])
        lists.remove(many[0], owner: 2, in: &table)
        #expect(lists.firstOfLargest == many[1])
        lists.remove(many[1], owner: 2, in: &table)
        lists.remove(many[2], owner: 2, in: &table)
        #expect(lists.firstOfLargest == few)
        #expect(lists.count == 1)
    }
}
