/// A hash table of slot numbers, four bytes a place: open addressing with linear probing.
///
/// It stores no keys: the caller tells how a slot hashes, so the index costs five to eight bytes
/// an operation. Several slots may have one hash.
struct SlotHashIndex {
    private var places: ContiguousArray<SlotNumber>
    private(set) var count = 0

    init() {
        places = ContiguousArray(repeating: noSlot, count: 16)
    }

    /// Slots of that hash for which `matches` is true; the first one found.
    func first(hash: UInt64, where matches: (SlotNumber) -> Bool) -> SlotNumber? {
        var place = home(hash)
        while places[place] != noSlot {
            if matches(places[place]) { return places[place] }
            place = following(place)
        }
        return nil
    }

    /// All slots of that hash for which `matches` is true.
    func all(hash: UInt64, where matches: (SlotNumber) -> Bool) -> [SlotNumber] {
        var found: [SlotNumber] = []
        var place = home(hash)
        while places[place] != noSlot {
            if matches(places[place]) { found.append(places[place]) }
            place = following(place)
        }
        return found
    }

    /// - Parameter hashOf: The hash of a slot already inside, for growing.
    mutating func insert(
        _ slot: SlotNumber, hash: UInt64, hashOf: (SlotNumber) -> UInt64
    ) {
        // Three quarters full at the most: longer probes cost more than the memory they save.
        if (count + 1) * 4 > places.count * 3 { grow(hashOf: hashOf) }
        place(slot, hash: hash)
        count += 1
    }

    /// Removes a slot that is inside; its hash must still be what it was inserted with.
    mutating func remove(
        _ slot: SlotNumber, hash: UInt64, hashOf: (SlotNumber) -> UInt64
    ) {
        var gap = home(hash)
        while places[gap] != slot {
            precondition(places[gap] != noSlot, "slot is not in the index")
            gap = following(gap)
        }
        // Closes the gap by moving back what probed over it (Knuth, TAOCP 3, 6.4, algorithm R).
        var place = following(gap)
        while places[place] != noSlot {
            let home = home(hashOf(places[place]))
            let isBetween = gap <= place ? gap < home && home <= place : gap < home || home <= place
            if !isBetween {
                places[gap] = places[place]
                gap = place
            }
            place = following(place)
        }
        places[gap] = noSlot
        count -= 1
    }

    private func home(_ hash: UInt64) -> Int {
        // Ids come in sequence: eight of them lie side by side in half a line of the cache. The
        // groups are spread by the high bits of a multiplication, or the long run of the newest
        // ids would have to be passed by all that are older by a multiple of the size.
        let group = ((hash >> 3) &* 0x9E37_79B9_7F4A_7C15) >> 32
        return Int(truncatingIfNeeded: group << 3 | hash & 7) & (places.count - 1)
    }

    private func following(_ place: Int) -> Int {
        (place + 1) & (places.count - 1)
    }

    private mutating func place(_ slot: SlotNumber, hash: UInt64) {
        var place = home(hash)
        while places[place] != noSlot { place = following(place) }
        places[place] = slot
    }

    private mutating func grow(hashOf: (SlotNumber) -> UInt64) {
        let old = places
        places = ContiguousArray(repeating: noSlot, count: old.count * 2)
        for slot in old where slot != noSlot { place(slot, hash: hashOf(slot)) }
    }
}
