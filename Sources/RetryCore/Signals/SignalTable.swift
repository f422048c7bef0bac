import RetryModel

/// Signals by number: their levels, and which waiting operations depend on each.
///
/// A waiting operation is in the list of one signal, its home: the credential it names, else the
/// condition of its decision. The few that have both are counted at their condition, which finds
/// them in the lists of credentials.
struct SignalTable {
    struct Entry {
        var record: SignalRecord
        /// Waiting operations whose home this is, whether held or not.
        fileprivate(set) var dependents = SlotList()
        /// Waiting operations whose condition this is and whose home is a credential.
        fileprivate(set) var elsewhere = 0
        /// Operations held for this signal.
        fileprivate(set) var held = 0
    }

    private(set) var entries: ContiguousArray<Entry> = []
    private var numbers: [SignalName: SignalIndex] = [:]
    /// Those whose level falls back by itself: few, so a scan finds the next one.
    private var expiring: [SignalIndex] = []

    subscript(index: SignalIndex) -> SignalRecord { entries[Int(index)].record }

    func index(of name: SignalName) -> SignalIndex? { numbers[name] }

    func isOn(_ index: SignalIndex) -> Bool { entries[Int(index)].record.isOn }

    func heldCount(_ index: SignalIndex) -> Int { entries[Int(index)].held }

    /// Adds a signal that is not in the table.
    mutating func append(_ record: SignalRecord) -> SignalIndex {
        precondition(numbers[record.name] == nil, "a signal is in the table already")
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

    // MARK: Who depends on what

    mutating func addDependent(
        _ slot: SlotNumber, credential: SignalIndex?, condition: SignalIndex?,
        in table: inout OperationTable
    ) {
        guard let home = credential ?? condition else { return }
        entries[Int(home)].dependents.append(slot, in: &table)
        if credential != nil, let condition { entries[Int(condition)].elsewhere += 1 }
    }

    mutating func removeDependent(
        _ slot: SlotNumber, credential: SignalIndex?, condition: SignalIndex?,
        in table: inout OperationTable
    ) {
        guard let home = credential ?? condition else { return }
        entries[Int(home)].dependents.remove(slot, in: &table)
        if credential != nil, let condition { entries[Int(condition)].elsewhere -= 1 }
    }

    mutating func countHeld(_ change: Int, for index: SignalIndex) {
        entries[Int(index)].held += change
    }

    /// The waiting operations that depend on a signal, the longest waiting first.
    func dependents(_ index: SignalIndex, in table: OperationTable) -> [SlotNumber] {
        let entry = entries[Int(index)]
        var found: [SlotNumber] = []
        found.reserveCapacity(entry.dependents.count + entry.elsewhere)
        entry.dependents.visit(in: table) { found.append($0) }
        guard entry.elsewhere > 0 else { return found }
        for other in entries {
            guard case .credential = other.record.name else { continue }
            other.dependents.visit(in: table) { slot in
                if table[slot].condition == index { found.append(slot) }
            }
        }
        return found
    }
}
