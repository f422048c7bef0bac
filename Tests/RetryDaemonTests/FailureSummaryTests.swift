import RetryModel
import Testing

@testable import RetryDaemon

/// One line for a destination and ten minutes.
@Suite
struct FailureSummaryTests {
    @Test
    func failuresAreSummedUpByDestination() {
        var summary = FailureSummary()
        #expect(summary.due == nil)
        for at in [5, 6, 7] { summary.count("a.example", at: Instant(usec: Int64(at))) }
        summary.count(nil, at: Instant(usec: 8))
        summary.count("b.example", at: Instant(usec: 9))
        #expect(summary.due == Instant(usec: 5) + .minutes(10))
        #expect(
            summary.take() == [
                .init(destination: "a.example", failures: 3),
                .init(destination: nil, failures: 1),
                .init(destination: "b.example", failures: 1),
            ])
        #expect(summary.due == nil)
        #expect(summary.take() == [])
    }

    @Test
    func namesOfOthersDoNotFillTheMemory() {
        var summary = FailureSummary()
        for number in 0..<1_000 { summary.count("host-\(number)", at: Instant(usec: 0)) }
        // Those that are told apart go on being so.
        summary.count("host-0", at: Instant(usec: 0))
        let lines = summary.take()
        #expect(lines.count == FailureSummary.destinationsMax + 1)
        #expect(lines.first == .init(destination: nil, failures: 744))
        #expect(lines.dropFirst().first == .init(destination: "host-0", failures: 2))
    }
}
