import RetryModel

/// How many operations are in each state, by owner, and how much they keep on disk.
struct OwnerCounts {
    private var counts: ContiguousArray<StateCounts> = []
    private var bytes: ContiguousArray<Int> = []
    private var numbers: [UserID: Int] = [:]

    /// The owner's number, given when it is the first time.
    mutating func number(of owner: UserID) -> Int {
        if let known = numbers[owner] { return known }
        let number = counts.count
        counts.append(StateCounts())
        bytes.append(0)
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

    /// What all operations of an owner keep on disk.
    func bytes(of owner: UserID) -> Int { numbers[owner].map { bytes[$0] } ?? 0 }

    func bytes(ofNumber number: Int) -> Int { bytes[number] }

    /// An operation keeps so many bytes more, or less.
    mutating func addBytes(_ count: Int, toNumber number: Int) { bytes[number] += count }

    var totalBytes: Int { bytes.reduce(0, +) }

    /// All owners together.
    func total(_ state: OperationState) -> Int {
        counts.reduce(0) { $0 + $1[state] }
    }
}
