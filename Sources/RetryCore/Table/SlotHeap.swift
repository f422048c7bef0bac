/// A binary min-heap of slots by a 64-bit key: 12 bytes an entry.
///
/// It can remove from the middle because each slot's place is kept in `positions`, one array for
/// all heaps: a slot is in one heap at the most.
struct SlotHeap {
    private var keys: ContiguousArray<Int64> = []
    private var slots: ContiguousArray<SlotNumber> = []

    /// Place of each slot in the heap it is in; `noSlot`: in none.
    typealias Positions = ContiguousArray<UInt32>

    var count: Int { slots.count }
    var isEmpty: Bool { slots.isEmpty }

    /// The smallest key and its slot.
    var top: (key: Int64, slot: SlotNumber)? {
        slots.isEmpty ? nil : (keys[0], slots[0])
    }

    func key(at position: UInt32) -> Int64 { keys[Int(position)] }

    mutating func push(_ slot: SlotNumber, key: Int64, _ positions: inout Positions) {
        precondition(positions[Int(slot)] == noSlot, "slot is already in a heap")
        keys.append(key)
        slots.append(slot)
        siftUp(slots.count - 1, &positions)
    }

    /// Removes a slot that is in this heap.
    mutating func remove(_ slot: SlotNumber, _ positions: inout Positions) {
        let place = Int(positions[Int(slot)])
        precondition(slots[place] == slot, "slot is in another heap")
        positions[Int(slot)] = noSlot
        let lastKey = keys.removeLast()
        let lastSlot = slots.removeLast()
        guard place < slots.count else { return }
        let isSmaller = lastKey < keys[place]
        keys[place] = lastKey
        slots[place] = lastSlot
        if isSmaller { siftUp(place, &positions) } else { siftDown(place, &positions) }
    }

    private mutating func siftUp(_ start: Int, _ positions: inout Positions) {
        let key = keys[start]
        let slot = slots[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard key < keys[parent] else { break }
            put(keys[parent], slots[parent], at: place, &positions)
            place = parent
        }
        put(key, slot, at: place, &positions)
    }

    private mutating func siftDown(_ start: Int, _ positions: inout Positions) {
        let key = keys[start]
        let slot = slots[start]
        var place = start
        while true {
            var child = place * 2 + 1
            guard child < slots.count else { break }
            if child + 1 < slots.count, keys[child + 1] < keys[child] { child += 1 }
            guard keys[child] < key else { break }
            put(keys[child], slots[child], at: place, &positions)
            place = child
        }
        put(key, slot, at: place, &positions)
    }

    private mutating func put(
        _ key: Int64, _ slot: SlotNumber, at place: Int, _ positions: inout Positions
    ) {
        keys[place] = key
        slots[place] = slot
        positions[Int(slot)] = UInt32(place)
    }
}

extension SlotHeap {
    /// Every parent is not larger than its children, and `positions` agrees.
    func checkInvariants(_ positions: Positions) {
        for place in slots.indices {
            precondition(positions[Int(slots[place])] == UInt32(place), "heap position is wrong")
            if place > 0 {
                precondition(keys[(place - 1) / 2] <= keys[place], "heap order is broken")
            }
        }
    }
}
