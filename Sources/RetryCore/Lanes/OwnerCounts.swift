import RetryModel

/// How many operations are in each state, by owner.
struct OwnerCounts {
    private var counts: ContiguousArray<StateCounts> = []
    private var numbers: [UserID: Int] = [:]

    /// The owner's number, given when it is the first time.
    mutating func number(of owner: UserID) -> Int {
        if let known = numbers[owner] { return known }
        let number = counts.count
        counts.append(StateCounts())
        numbers[owner] = number
        return number
    }

    subscript(number: Int) -> StateCounts {
        @inline(__always) get { counts[number] }
        _modify { yield &counts[number] }
    }

    func counts(of owner: UserID) -> StateCounts {
        numbers[owner].map { counts[$0] } ?? StateCounts()
    }

    /// All owners together.
    func total(_ state: OperationState) -> Int {
        counts.reduce(0) { $0 + $1[state] }
    }
}
