import RetryModel

/// Pauses by number. They are few: each new group is compared with all of them.
struct PauseTable {
    private(set) var records: [PauseIndex: PauseRecord] = [:]
    private var next: PauseIndex = 1

    subscript(index: PauseIndex) -> PauseRecord {
        guard let record = records[index] else { preconditionFailure("there is no such pause") }
        return record
    }

    /// The numbers in force, the oldest first.
    var numbers: [PauseIndex] { records.keys.sorted() }

    /// The pauses of exactly that scope, the oldest first: one of each author.
    func numbers(of scope: PauseScope) -> [PauseIndex] {
        numbers.filter { self[$0].scope == scope }
    }

    func number(of scope: PauseScope, by author: UserID) -> PauseIndex? {
        records.first { $0.value.scope == scope && $0.value.author == author }?.key
    }

    func count(by author: UserID) -> Int {
        records.values.reduce(0) { $0 + ($1.author == author ? 1 : 0) }
    }

    /// The oldest pause that holds a lane.
    func first(holding lane: Lane) -> PauseIndex? {
        if records.isEmpty { return nil }
        return numbers.first { self[$0].scope.holds(lane) }
    }

    /// All pauses that hold a lane, the oldest first.
    func all(holding lane: Lane) -> [PauseRecord] {
        numbers.map { self[$0] }.filter { $0.scope.holds(lane) }
    }

    mutating func insert(_ record: PauseRecord) -> PauseIndex {
        // The numbers are used again only when there is no other: 2^32 pauses later.
        while records[next] != nil || next == 0 { next &+= 1 }
        defer { next &+= 1 }
        records[next] = record
        return next
    }

    mutating func restore(_ index: PauseIndex, _ record: PauseRecord) {
        records[index] = record
        next = max(next, index &+ 1)
    }

    mutating func set(_ index: PauseIndex, to record: PauseRecord) {
        records[index] = record
    }

    mutating func remove(_ index: PauseIndex) {
        records[index] = nil
    }

    /// The pause that ends first by itself, and when.
    var nextEnd: (index: PauseIndex, at: Instant)? {
        var earliest: (index: PauseIndex, at: Instant)?
        for index in numbers {
            guard let until = self[index].until else { continue }
            if let known = earliest, known.at <= until { continue }
            earliest = (index, until)
        }
        return earliest
    }
}
