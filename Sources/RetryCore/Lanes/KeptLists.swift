/// Operations that are kept to be looked at, the dead ones or the ended ones: a list for each
/// owner, the longest kept first.
///
/// Beyond the bound the owner who has most of them loses his oldest, so that nobody loses any
/// because of somebody else who has more.
struct KeptLists {
    private var lists: ContiguousArray<SlotList> = []
    private(set) var count = 0

    /// - Parameter owner: The owner's number.
    mutating func append(_ slot: SlotNumber, owner: Int, in table: inout OperationTable) {
        while lists.count <= owner { lists.append(SlotList()) }
        lists[owner].append(slot, in: &table)
        count += 1
    }

    mutating func remove(_ slot: SlotNumber, owner: Int, in table: inout OperationTable) {
        lists[owner].remove(slot, in: &table)
        count -= 1
    }

    /// The longest kept of the owner who has most. Looked for beyond the bound only; owners are
    /// few.
    var firstOfLargest: SlotNumber {
        var largest: SlotList?
        for list in lists where list.count > largest?.count ?? 0 { largest = list }
        guard let largest else { preconditionFailure("nothing is kept") }
        return largest.first
    }
}
