import RetryModel

/// The event_ids that were told, by their hash: of operations that are there, and for a while of
/// operations that are gone.
struct EventTable {
    private struct Entry {
        var hash: UInt64
        var operation: OperationID
    }

    private var entries: ContiguousArray<Entry> = []
    private var free: ContiguousArray<SlotNumber> = []
    private var byHash = SlotHashIndex()
    /// Entries of operations that are there.
    private var byOperation = SlotHashIndex()
    /// Entries of operations that are gone, by when they are forgotten.
    private var gone = SlotHeap()
    private var positions: SlotHeap.Positions = []

    var count: Int { byHash.count }
    var goneCount: Int { gone.count }

    /// When the next one is forgotten; nil: none of an operation that is gone.
    var nextExpiry: Instant? { gone.top.map { Instant(usec: $0.key) } }

    func operation(of hash: UInt64) -> OperationID? {
        entry(of: hash).map { entries[Int($0)].operation }
    }

    /// Adds an event that is not in the table.
    ///
    /// - Parameter until: When it is forgotten, its operation being gone; nil: it is there.
    mutating func insert(_ hash: UInt64, _ operation: OperationID, until: Instant? = nil) {
        precondition(entry(of: hash) == nil, "an event is in the table already")
        let new = Entry(hash: hash, operation: operation)
        let number: SlotNumber
        if let freed = free.popLast() {
            number = freed
            entries[Int(number)] = new
        } else {
            number = SlotNumber(entries.count)
            entries.append(new)
            positions.append(noSlot)
        }
        byHash.insert(number, hash: hash) { entries[Int($0)].hash }
        if let until {
            gone.push(number, key: until.usec, &positions)
        } else {
            byOperation.insert(number, hash: Self.hash(operation)) {
                Self.hash(entries[Int($0)].operation)
            }
        }
    }

    /// The operation is gone: one of its events is remembered for a while yet.
    ///
    /// - Returns: The event; nil: it has none left that is not marked.
    mutating func markNextGone(_ operation: OperationID, until: Instant) -> UInt64? {
        let hash = Self.hash(operation)
        let found = byOperation.first(hash: hash) { entries[Int($0)].operation == operation }
        guard let number = found else { return nil }
        byOperation.remove(number, hash: hash) { Self.hash(entries[Int($0)].operation) }
        gone.push(number, key: until.usec, &positions)
        return entries[Int(number)].hash
    }

    /// Forgets the event of a gone operation whose time is up first.
    ///
    /// - Precondition: There is one (`goneCount`).
    mutating func forgetNext() -> UInt64 {
        guard let number = gone.top?.slot else { preconditionFailure("no event to forget") }
        gone.remove(number, &positions)
        let hash = entries[Int(number)].hash
        byHash.remove(number, hash: hash) { entries[Int($0)].hash }
        free.append(number)
        return hash
    }

    private func entry(of hash: UInt64) -> SlotNumber? {
        byHash.first(hash: hash) { entries[Int($0)].hash == hash }
    }

    private static func hash(_ operation: OperationID) -> UInt64 {
        UInt64(bitPattern: operation.rawValue)
    }
}

extension EventTable {
    func checkInvariants() {
        gone.checkInvariants(positions)
        precondition(byOperation.count + gone.count == byHash.count, "events and their places")
        precondition(entries.count - free.count == byHash.count, "free places of events")
    }
}
