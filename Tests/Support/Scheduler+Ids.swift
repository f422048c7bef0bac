package import RetryCore
package import RetryModel

extension Scheduler {
    /// The ids of all operations that match, in ascending order, in one go.
    package func ids(where matches: (Row) -> Bool) -> [OperationID] {
        ids(inSlots: 0..<slotsUsed, where: matches)
    }
}
