import RetryModel
import SystemKit

/// The three clocks at one moment.
struct ClockReadings: Equatable {
    var boottimeUsec: Int64
    var monotonicUsec: Int64
    var realtimeUsec: Int64

    static func taken() -> ClockReadings {
        ClockReadings(
            boottimeUsec: Clocks.boottimeUsec(), monotonicUsec: Clocks.monotonicUsec(),
            realtimeUsec: Clocks.realtimeUsec())
    }

    /// By how much the wall clock was set meanwhile.
    func step(since earlier: ClockReadings) -> Span {
        Span(usec: realtimeUsec - boottimeUsec - (earlier.realtimeUsec - earlier.boottimeUsec))
    }

    /// How long the host slept meanwhile: CLOCK_MONOTONIC stands still then, CLOCK_BOOTTIME does
    /// not (clock_gettime(2)).
    func suspended(since earlier: ClockReadings) -> Span {
        Span(usec: boottimeUsec - monotonicUsec - (earlier.boottimeUsec - earlier.monotonicUsec))
    }
}
