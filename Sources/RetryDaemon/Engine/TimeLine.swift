import RetryModel
import RetryStore
import SystemKit

/// Where the daemon's time comes from: CLOCK_BOOTTIME plus the base of this boot, and the wall
/// clock (spec section 7).
struct TimeLine {
    private(set) var anchor: BootAnchor
    /// What is added to CLOCK_BOOTTIME to get the wall time.
    private var wallOffsetUsec: Int64?

    /// The two clocks cannot be read at the same moment. Differences that small are taken for
    /// that, so that a due time is told the same each time; a clock that is slewed or stepped
    /// soon differs by more.
    private static let offsetToleranceUsec: Int64 = 200

    /// - Parameter stored: The anchor of the last run; nil in a new store.
    init(bootID: String, stored: BootAnchor?, boottimeUsec: Int64, wallUsec: Int64) {
        if let stored, stored.bootID == bootID {
            anchor = stored
            return
        }
        guard let stored else {
            // A new line begins at 1 so that no real moment is 0.
            anchor = BootAnchor(
                bootID: bootID, number: 1, base: Span(usec: 1 - boottimeUsec),
                lastWall: WallTime(usec: wallUsec), lastInstant: Instant(usec: 1))
            return
        }
        // Another boot: the wall clock tells how long the host was off. A clock that went back
        // tells nothing; then the line goes on as if no time had passed.
        let off = max(WallTime(usec: wallUsec) - stored.lastWall, .zero)
        let instant = stored.lastInstant + off
        anchor = BootAnchor(
            bootID: bootID, number: stored.number + 1,
            base: Span(usec: instant.usec - boottimeUsec), lastWall: WallTime(usec: wallUsec),
            lastInstant: instant)
    }

    mutating func now() -> Now {
        let boottime = Clocks.boottimeUsec()
        let measured = Clocks.realtimeUsec() - boottime
        let known = wallOffsetUsec ?? .min / 2
        let offset = abs(measured - known) <= Self.offsetToleranceUsec ? known : measured
        wallOffsetUsec = offset
        return Now(
            instant: Instant(usec: boottime + anchor.base.usec),
            wall: WallTime(usec: boottime + offset))
    }

    /// The moment on CLOCK_BOOTTIME that a moment of the line is.
    func boottimeUsec(of instant: Instant) -> Int64 {
        (instant - Instant(usec: anchor.base.usec)).usec
    }

    /// The anchor to store, with both clocks as they stand.
    mutating func renewedAnchor(at now: Now) -> BootAnchor {
        anchor.lastWall = now.wall
        anchor.lastInstant = now.instant
        return anchor
    }
}
