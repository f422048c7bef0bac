import RetryModel

/// Signals by number: their levels, and who waits for each.
struct SignalTable {
    struct Entry {
        var record: SignalRecord
        var waiting = SlotList()
    }

    private(set) var entries: ContiguousArray<Entry> = []
    private var numbers: [SignalName: SignalIndex] = [:]
    /// Those whose level falls back by itself: few, so a scan finds the next one.
    private var expiring: [SignalIndex] = []

    subscript(index: SignalIndex) -> SignalRecord { entries[Int(index)].record }

    func index(of name: SignalName) -> SignalIndex? { numbers[name] }

    func isOn(_ index: SignalIndex) -> Bool { entries[Int(index)].record.isOn }

    func waitingCount(_ index: SignalIndex) -> Int { entries[Int(index)].waiting.count }

    func firstWaiting(_ index: SignalIndex) -> SlotNumber { entries[Int(index)].waiting.first }

    /// Adds a signal that is not in the table.
    mutating func append(_ record: SignalRecord) -> SignalIndex {
        let index = SignalIndex(entries.count)
        entries.append(Entry(record: record))
        numbers[record.name] = index
        if record.until != nil { expiring.append(index) }
        return index
    }

    mutating func set(_ index: SignalIndex, to record: SignalRecord) {
        precondition(entries[Int(index)].record.name == record.name, "a signal keeps its name")
        expiring.removeAll { $0 == index }
        if record.until != nil { expiring.append(index) }
        entries[Int(index)].record = record
    }

    mutating func addWaiting(
        _ slot: SlotNumber, to index: SignalIndex, in table: inout OperationTable
    ) {
        entries[Int(index)].waiting.append(slot, in: &table)
    }

    mutating func removeWaiting(
        _ slot: SlotNumber, from index: SignalIndex, in table: inout OperationTable
    ) {
        entries[Int(index)].waiting.remove(slot, in: &table)
    }

    /// The signal that falls back first, and when.
    var nextExpiry: (index: SignalIndex, at: Instant)? {
        var earliest: (index: SignalIndex, at: Instant)?
        for index in expiring {
            guard let until = self[index].until else { continue }
            if let known = earliest, known.at <= until { continue }
            earliest = (index, until)
        }
        return earliest
    }
}
