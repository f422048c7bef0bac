package import RetryModel

/// How many operations are in each state.
package struct StateCounts: Sendable {
    private var counts = InlineArray<8, Int>(repeating: 0)

    package init() {}

    package subscript(state: OperationState) -> Int {
        get { counts[Int(state.rawValue)] }
        set { counts[Int(state.rawValue)] = newValue }
    }

    /// Operations that can still be tried without anybody reviving them.
    package var live: Int {
        self[.scheduled] + self[.held] + self[.ready] + self[.leased] + self[.parked]
    }

    package var waiting: Int {
        self[.scheduled] + self[.held] + self[.ready]
    }
}
