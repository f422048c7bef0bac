package import RetryModel

/// What the engine looks up with every call.
///
/// These are mutating although they change nothing. The engine has the scheduler as a property of
/// a class; a method that only reads would be given a copy of it, with some forty references to be
/// counted up and down, because the compiler cannot see that nothing changes the original
/// meanwhile. A mutating method is given the original.
extension Scheduler {
    /// What an answer tells of where an operation is.
    package struct Standing: Hashable, Sendable {
        package var state: OperationState
        /// When the back-off of a waiting one ends; nil for others.
        package var due: Instant?
    }

    package mutating func peekStanding(of id: OperationID) -> Standing? {
        guard let slot = table.slot(of: id) else { return nil }
        let state = shownState(slot)
        return Standing(state: state, due: state.isWaiting ? table[slot].due : nil)
    }

    /// What a worker's call about an operation begins with.
    package mutating func peekRecord(
        of id: OperationID
    ) -> (record: OperationRecord, lane: Lane)? {
        guard let slot = table.slot(of: id) else { return nil }
        return (record(slot), lanes.lane(table[slot].lane))
    }

    /// See `nextDue`.
    package mutating func peekNextDue() -> Instant? { nextDue }
}
