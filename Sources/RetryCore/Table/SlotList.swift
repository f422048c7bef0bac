/// A first-in-first-out list threaded through the slots themselves.
struct SlotList {
    private(set) var first: SlotNumber = noSlot
    private(set) var last: SlotNumber = noSlot
    private(set) var count = 0

    mutating func append(_ slot: SlotNumber, in table: inout OperationTable) {
        table[slot].next = noSlot
        table[slot].previous = last
        if last == noSlot { first = slot } else { table[last].next = slot }
        last = slot
        count += 1
    }

    mutating func remove(_ slot: SlotNumber, in table: inout OperationTable) {
        let next = table[slot].next
        let previous = table[slot].previous
        if previous == noSlot {
            precondition(first == slot, "slot is in another list")
            first = next
        } else {
            table[previous].next = next
        }
        if next == noSlot { last = previous } else { table[next].previous = previous }
        table[slot].next = noSlot
        table[slot].previous = noSlot
        count -= 1
    }
    /// Calls `body` for every slot of the list, the first one first.
    func visit(in table: OperationTable, _ body: (SlotNumber) -> Void) {
        var slot = first
        while slot != noSlot {
            body(slot)
            slot = table[slot].next
        }
    }
}
