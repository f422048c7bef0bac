import RetryCore
import RetryModel

/// Both clocks of a host: one that only goes on, and a wall clock that drifts and is stepped.
struct SimulatedClock {
    private(set) var now: Now
    /// Microseconds that the wall clock gains in a second; negative: loses.
    private let driftPerSecond: Int64

    init(random: inout SplitMix64) {
        now = Now(
            instant: Instant(usec: 1_000_000_000),
            wall: WallTime(usec: 1_700_000_000_000_000))
        // Up to 200 millionths either way: a bad quartz.
        driftPerSecond = random.number(through: 400) - 200
    }

    mutating func advance(_ span: Span) {
        now.instant = now.instant + span
        // Whole seconds are enough: steps are long or their drift does not matter.
        now.wall = now.wall + span + Span(usec: span.usec / 1_000_000 * driftPerSecond)
    }

    mutating func stepWall(_ span: Span) {
        now.wall = now.wall + span
    }
}
