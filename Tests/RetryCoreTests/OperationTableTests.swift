import RetryModel
import Testing

@testable import RetryCore

@Suite
struct OperationTableTests {
    private var table = OperationTable()

    private mutating func insert(_ number: Int64) -> SlotNumber {
        table.insert(OperationSlot(id: OperationID(rawValue: number), lane: 0))
    }

    private func slot(_ number: Int64) -> SlotNumber? {
        table.slot(of: OperationID(rawValue: number))
    }

    @Test
    func anEmptyTableKnowsNobody() {
        #expect(table.count == 0)
        #expect(slot(1) == nil)
        #expect(!table.isOccupied(0))
    }

    @Test
    mutating func findsOperationsOverManyChunks() {
        for number in 1...10_000 as ClosedRange<Int64> {
            #expect(insert(number) == SlotNumber(number - 1))
        }
        #expect(table.count == 10_000)
        for number in 1...10_000 as ClosedRange<Int64> {
            #expect(slot(number) == SlotNumber(number - 1))
        }
        #expect(slot(0) == nil)
        #expect(slot(10_001) == nil)
        #expect(slot(.max) == nil)
    }

    @Test
    mutating func freedSlotsAreUsedAgain() {
        for number in 1...3 as ClosedRange<Int64> { _ = insert(number) }
        table.remove(1)
        #expect(slot(2) == nil)
        #expect(!table.isOccupied(1))
        #expect(table.count == 2)
        #expect(insert(9) == 1)
        #expect(slot(9) == 1)
        #expect(table.slotsUsed == 3)
    }

    @Test
    mutating func visitsOnlyWhatIsThere() {
        for number in 1...4 as ClosedRange<Int64> { _ = insert(number) }
        table.remove(0)
        table.remove(2)
        var seen: [Int64] = []
        table.visit { _, operation in seen.append(operation.id.rawValue) }
        #expect(seen == [2, 4])
    }

    @Test
    mutating func changesInPlace() {
        let slot = insert(1)
        table[slot].attempts = 7
        table[slot].condition = 3
        #expect(table[slot].attempts == 7)
        #expect(table[slot].condition == 3)
    }

    @Test
    mutating func aCopyIsIndependent() {
        let slot = insert(1)
        let copy = table
        table[slot].attempts = 9
        #expect(copy[slot].attempts == 0)
    }

    @Test
    mutating func agreesWithADictionaryOverManySteps() {
        var random = SplitMix64(seed: 11)
        var model: [Int64: SlotNumber] = [:]
        for _ in 0..<20_000 {
            let number = random.number(through: 3_000) + 1
            if let slot = model.removeValue(forKey: number) {
                table.remove(slot)
            } else {
                model[number] = insert(number)
            }
        }
        #expect(table.count == model.count)
        for number in 1...3_001 as ClosedRange<Int64> { #expect(slot(number) == model[number]) }
    }
}
