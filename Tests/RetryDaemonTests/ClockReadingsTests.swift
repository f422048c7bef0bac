import RetryModel
import Testing

@testable import RetryDaemon

@Suite
struct ClockReadingsTests {
    private let before = ClockReadings(
        boottimeUsec: 5_000_000, monotonicUsec: 4_000_000, realtimeUsec: 100_000_000)

    @Test
    func timeThatPassesIsNoChange() {
        let after = ClockReadings(
            boottimeUsec: 8_000_000, monotonicUsec: 7_000_000, realtimeUsec: 103_000_000)
        #expect(after.step(since: before) == .zero)
        #expect(after.suspended(since: before) == .zero)
    }

    @Test
    func aStepIsToldApartFromASuspend() {
        let stepped = ClockReadings(
            boottimeUsec: 8_000_000, monotonicUsec: 7_000_000, realtimeUsec: 93_000_000)
        #expect(stepped.step(since: before) == Span(usec: -10_000_000))
        #expect(stepped.suspended(since: before) == .zero)
        let slept = ClockReadings(
            boottimeUsec: 68_000_000, monotonicUsec: 7_000_000, realtimeUsec: 163_000_000)
        #expect(slept.step(since: before) == .zero)
        #expect(slept.suspended(since: before) == .seconds(60))
    }
}
