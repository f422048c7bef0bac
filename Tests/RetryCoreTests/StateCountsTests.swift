import RetryModel
import Testing

@testable import RetryCore

@Suite
struct StateCountsTests {
    @Test
    func everyStateHasItsOwnCount() {
        var counts = StateCounts()
        for (number, state) in OperationState.allCases.enumerated() { counts[state] = 1 << number }
        for (number, state) in OperationState.allCases.enumerated() {
            #expect(counts[state] == 1 << number)
        }
    }

    @Test
    func sumsAgreeWithWhatStatesSayOfThemselves() {
        for state in OperationState.allCases {
            var counts = StateCounts()
            counts[state] = 5
            #expect(counts.live == (state.isLive ? 5 : 0))
            #expect(counts.waiting == (state.isWaiting ? 5 : 0))
        }
    }
}
