import RetryModel

/// Signals by number: their levels, and which waiting operations depend on each.
///
/// A waiting operation is in the list of one signal, its home: the credential it names, else the
/// condition of its decision. The few that have both are counted at their condition, which finds
/// them in the lists of credentials.
struct SignalTable {
    struct Entry {
        var record: SignalRecord
        /// Set since it came into the table, which a start fills.
        fileprivate(set) var wasSet = false
        /// Waiting operations whose home this is, whether held or not.
        fileprivate(set) var dependents = SlotList()
        /// Waiting operations whose condition this is and whose home is a credential.
        fileprivate(set) var elsewhere = 0
        /// Operations held for this signal.
        fileprivate(set) var held = 0
        /// Of the dependents the first so many do not yet show what a changed level means.
        fileprivate var unsettled = 0
    }

    /// By number; those of free numbers are in no other member.
    private var entries: ContiguousArray<Entry> = []
    private var uses = NameUses()
    private var numbers: [SignalName: SignalIndex] = [:]
    /// Those whose level falls back by itself: few, so a scan finds the next one.
    private var expiring: [SignalIndex] = []
    /// Those with dependents that are to be looked at.
    private var unsettled: [SignalIndex] = []
    /// When the first of them changed; nil: there is none.
    private(set) var unsettledAt: Instant?

    subscript(index: SignalIndex) -> SignalRecord { entries[Int(index)].record }

    func index(of name: SignalName) -> SignalIndex? { numbers[name] }

    func isOn(_ index: SignalIndex) -> Bool { entries[Int(index)].record.isOn }

    func heldCount(_ index: SignalIndex) -> Int { entries[Int(index)].held }

    var count: Int { numbers.count }

    /// Those in use, in the order of their numbers.
    var all: [Entry] { numbers.values.sorted().map { entries[Int($0)] } }

    /// Adds a signal that is not in the table.
    mutating func append(_ record: SignalRecord) -> SignalIndex {
        precondition(numbers[record.name] == nil, "a signal is in the table already")
        let index = uses.take()
        while entries.count <= Int(index) { entries.append(Entry(record: record)) }
        entries[Int(index)] = Entry(record: record)
        numbers[record.name] = index
        if record.until != nil { expiring.append(index) }
        return index
    }

    mutating func set(_ index: SignalIndex, to record: SignalRecord) {
        precondition(entries[Int(index)].record.name == record.name, "a signal keeps its name")
        expiring.removeAll { $0 == index }
        if record.until != nil { expiring.append(index) }
        entries[Int(index)].record = record
        entries[Int(index)].wasSet = true
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

    // MARK: What a changed level means

    /// The level of a signal changed: all that depend on it are to be looked at, the longest
    /// waiting first.
    ///
    /// - Returns: How many those are; some may depend on others besides.
    mutating func unsettle(_ index: SignalIndex, at now: Instant) -> Int {
        var count = unsettle(listOf: index)
        if entries[Int(index)].elsewhere > 0 {
            for (name, other) in numbers.sorted(by: { $0.value < $1.value }) {
                guard case .credential = name else { continue }
                count += unsettle(listOf: other)
            }
        }
        if count > 0, unsettledAt == nil { unsettledAt = now }
        return count
    }

    private mutating func unsettle(listOf index: SignalIndex) -> Int {
        let count = entries[Int(index)].dependents.count
        if count > 0, entries[Int(index)].unsettled == 0 { unsettled.append(index) }
        entries[Int(index)].unsettled = count
        return count
    }

    /// The next operation to be looked at. It is the last of its list afterwards, where whatever
    /// is settled stands.
    mutating func nextUnsettled(in table: inout OperationTable) -> SlotNumber? {
        while let index = unsettled.last {
            let slot = entries[Int(index)].dependents.first
            if entries[Int(index)].unsettled > 0, slot != noSlot {
                entries[Int(index)].unsettled -= 1
                entries[Int(index)].dependents.remove(slot, in: &table)
                entries[Int(index)].dependents.append(slot, in: &table)
                return slot
            }
            entries[Int(index)].unsettled = 0
            unsettled.removeLast()
        }
        unsettledAt = nil
        return nil
    }

    // MARK: Numbers that nothing uses any more

    /// A lane or a decision names it.
    mutating func retain(_ index: SignalIndex) { uses.retain(index) }

    mutating func release(_ index: SignalIndex) { uses.release(index) }

    /// The next signal has a number from the store.
    mutating func next(is index: SignalIndex) { uses.next(is: index) }

    /// All are restored: those that nothing names are idle.
    mutating func noteIdle() { uses.noteIdle() }

    /// It may be that nothing names it; a level that is not the initial one stands all the same.
    mutating func mayBeIdle(_ index: SignalIndex) {
        if uses.count(index) == 0 { uses.note(index) }
    }

    /// Takes the longest idle signal out when more are kept than may be.
    mutating func removeIdle() -> SignalIndex? {
        let entries = entries
        let removed = uses.removeIdle(beyond: Limits.namesIdleMax) { number in
            let record = entries[Int(number)].record
            return record.isOn == record.name.initialLevel && record.until == nil
        }
        if let removed { numbers[entries[Int(removed)].record.name] = nil }
        return removed
    }

    /// Signals of an owner that nothing names.
    func unusedCount(of owner: UserID) -> Int {
        numbers.reduce(0) { count, entry in
            count + (entry.key.owner == owner && uses.count(entry.value) == 0 ? 1 : 0)
        }
    }

    func checkInvariants() { uses.checkInvariants(inUse: numbers.count) }
}
