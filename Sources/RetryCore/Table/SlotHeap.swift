/// A min-heap of slots by a 64-bit key: 12 bytes an entry.
///
/// Each node has eight children: a third of the levels of a binary heap, and the keys of all eight
/// lie in two lines of the cache at the most. It can remove from the middle because each slot's
/// place is kept in `positions`, one array for all heaps: a slot is in one heap at the most.
package struct SlotHeap {
    private var keys: ContiguousArray<Int64> = []
    private var slots: ContiguousArray<SlotNumber> = []

    /// Place of each slot in the heap it is in; `noSlot`: in none.
    package typealias Positions = ContiguousArray<UInt32>

    package init() {}

    private static let arity = 8
    /// Arrays of fewer entries than that are not worth giving back.
    private static let keptCapacity = 4_096

    var count: Int { slots.count }
    var isEmpty: Bool { slots.isEmpty }

    /// The smallest key and its slot.
    package var top: (key: Int64, slot: SlotNumber)? {
        slots.isEmpty ? nil : (keys[0], slots[0])
    }

    /// The slot of the smallest key among those that match.
    ///
    /// - Parameter looksMax: Nil as well when so many that do not match come before it.
    func first(
        looksMax: Int, where matches: (SlotNumber) -> Bool
    ) -> (key: Int64, slot: SlotNumber)? {
        var best: (key: Int64, slot: SlotNumber)?
        var looks = 0
        var open = isEmpty ? [] : [0]
        while let place = open.popLast() {
            if let best, keys[place] >= best.key { continue }
            if matches(slots[place]) {
                best = (keys[place], slots[place])
                continue
            }
            looks += 1
            guard looks <= looksMax else { return nil }
            // What lies below a match is later than it.
            let children = place * Self.arity + 1
            for child in children..<children + Self.arity where child < keys.count {
                open.append(child)
            }
        }
        return best
    }

    func key(at position: UInt32) -> Int64 { keys[Int(position)] }

    /// Whether a slot is in this heap and not in another one.
    func contains(_ slot: SlotNumber, _ positions: Positions) -> Bool {
        let place = Int(positions[Int(slot)])
        return place < slots.count && slots[place] == slot
    }

    package mutating func push(_ slot: SlotNumber, key: Int64, _ positions: inout Positions) {
        precondition(positions[Int(slot)] == noSlot, "slot is already in a heap")
        keys.append(key)
        slots.append(slot)
        Self.siftUp(key, slot, from: slots.count - 1, &keys, &slots, &positions)
    }

    /// Removes a slot that is in this heap.
    package mutating func remove(_ slot: SlotNumber, _ positions: inout Positions) {
        let place = Int(positions[Int(slot)])
        precondition(place < slots.count && slots[place] == slot, "slot is in another heap")
        positions[Int(slot)] = noSlot
        let key = keys.removeLast()
        let last = slots.removeLast()
        defer { giveBack() }
        guard place < slots.count else { return }
        if key < keys[place] {
            Self.siftUp(key, last, from: place, &keys, &slots, &positions)
        } else {
            Self.siftDown(key, last, from: place, &keys, &slots, &positions)
        }
    }

    /// Gives memory back that a herd needed: what came due lies in another heap now.
    private mutating func giveBack() {
        guard hasTooMuch else { return }
        var fewerKeys = ContiguousArray<Int64>()
        var fewerSlots = ContiguousArray<SlotNumber>()
        fewerKeys.reserveCapacity(slots.count * 2)
        fewerSlots.reserveCapacity(slots.count * 2)
        fewerKeys += keys
        fewerSlots += slots
        keys = fewerKeys
        slots = fewerSlots
    }

    private var hasTooMuch: Bool {
        slots.capacity > Self.keptCapacity && slots.count < slots.capacity / 4
    }

    private static func siftUp(
        _ key: Int64, _ slot: SlotNumber, from start: Int,
        _ keys: inout ContiguousArray<Int64>, _ slots: inout ContiguousArray<SlotNumber>,
        _ positions: inout Positions
    ) {
        // Spans: uniqueness of the arrays is checked once, not at every level.
        var keys = keys.mutableSpan
        var slots = slots.mutableSpan
        var positions = positions.mutableSpan
        var place = start
        while place > 0 {
            let parent = (place - 1) / arity
            guard key < keys[parent] else { break }
            keys[place] = keys[parent]
            slots[place] = slots[parent]
            positions[Int(slots[place])] = UInt32(place)
            place = parent
        }
        keys[place] = key
        slots[place] = slot
        positions[Int(slot)] = UInt32(place)
    }

    private static func siftDown(
        _ key: Int64, _ slot: SlotNumber, from start: Int,
        _ keys: inout ContiguousArray<Int64>, _ slots: inout ContiguousArray<SlotNumber>,
        _ positions: inout Positions
    ) {
        let count = slots.count
        var keys = keys.mutableSpan
        var slots = slots.mutableSpan
        var positions = positions.mutableSpan
        var place = start
        while true {
            let first = place * arity + 1
            guard first < count else { break }
            var child = first
            var smallest = keys[first]
            let end = min(first + arity, count)
            var other = first + 1
            while other < end {
                if keys[other] < smallest {
                    child = other
                    smallest = keys[other]
                }
                other += 1
            }
            guard smallest < key else { break }
            keys[place] = smallest
            slots[place] = slots[child]
            positions[Int(slots[place])] = UInt32(place)
            place = child
        }
        keys[place] = key
        slots[place] = slot
        positions[Int(slot)] = UInt32(place)
    }
}

extension SlotHeap {
    /// Every parent is not larger than its children, and `positions` agrees.
    func checkInvariants(_ positions: Positions) {
        precondition(!hasTooMuch, "memory is not given back")
        for place in slots.indices {
            precondition(positions[Int(slots[place])] == UInt32(place), "heap position is wrong")
            if place > 0 {
                precondition(
                    keys[(place - 1) / Self.arity] <= keys[place], "heap order is broken")
            }
        }
    }
}
