import RetryModel

/// All operations in memory: a slab in chunks, so that growing never copies what is there, and an
/// index from id to slot.
struct OperationTable {
    /// 4096 slots of 80 bytes: 320 KiB at a time.
    fileprivate static let chunkBits = 12
    fileprivate static let chunkSize = 1 << chunkBits

    private var chunks: ContiguousArray<ContiguousArray<OperationSlot>> = []
    /// Slots ever used; those beyond are fresh.
    private(set) var slotsUsed: SlotNumber = 0
    /// Freed slots, the last freed first.
    private var free: ContiguousArray<SlotNumber> = []
    private var ids = SlotHashIndex()

    var count: Int { ids.count }

    // Inlined, so that reading one member copies that one and not the whole operation.
    subscript(slot: SlotNumber) -> OperationSlot {
        @inline(__always) get {
            chunks[Int(slot) >> Self.chunkBits][Int(slot) & (Self.chunkSize - 1)]
        }
        @inline(__always) _modify {
            yield &chunks[Int(slot) >> Self.chunkBits][Int(slot) & (Self.chunkSize - 1)]
        }
    }

    func slot(of id: OperationID) -> SlotNumber? {
        ids.first(hash: Self.hash(id)) { self[$0].id == id }
    }

    mutating func insert(_ operation: OperationSlot) -> SlotNumber {
        let slot: SlotNumber
        if let freed = free.popLast() {
            slot = freed
            self[slot] = operation
        } else {
            slot = slotsUsed
            slotsUsed += 1
            if Int(slot) >> Self.chunkBits == chunks.count {
                chunks.append(ContiguousArray())
                chunks[chunks.count - 1].reserveCapacity(Self.chunkSize)
            }
            chunks[chunks.count - 1].append(operation)
        }
        // A copy of the references only: the index may not look into the table it is a part of.
        let chunks = chunks
        ids.insert(slot, hash: Self.hash(operation.id)) { Self.hash(chunks.id(of: $0)) }
        return slot
    }

    mutating func remove(_ slot: SlotNumber) {
        do {
            let chunks = chunks
            ids.remove(slot, hash: Self.hash(self[slot].id)) { Self.hash(chunks.id(of: $0)) }
        }
        // No operation has the number 0: marks the slot as free for `occupied`.
        self[slot].id = OperationID(rawValue: 0)
        free.append(slot)
    }

    /// Calls `body` for every operation, in slot order.
    func visit(_ body: (SlotNumber, OperationSlot) -> Void) {
        for slot in 0..<slotsUsed where self[slot].id.rawValue != 0 {
            body(slot, self[slot])
        }
    }

    func isOccupied(_ slot: SlotNumber) -> Bool {
        slot < slotsUsed && self[slot].id.rawValue != 0
    }

    private static func hash(_ id: OperationID) -> UInt64 {
        UInt64(bitPattern: id.rawValue)
    }
}

extension ContiguousArray<ContiguousArray<OperationSlot>> {
    fileprivate func id(of slot: SlotNumber) -> OperationID {
        self[Int(slot) >> OperationTable.chunkBits][Int(slot) & (OperationTable.chunkSize - 1)].id
    }
}
