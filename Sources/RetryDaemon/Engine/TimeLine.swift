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

    /// When this boot began; in its first run, when that did.
    private(set) var boot: Now

    /// For how long a host is taken to have been off when a clock says so that nobody vouches for:
    /// few delays are longer, and a clock that was never set can be wrong by decades.
    static let offMax = Span.days(1)

    /// - Parameters:
    ///   - stored: The anchor of the last run; nil in a new store.
    ///   - isClockTrusted: The kernel says that the wall clock is synchronised.
    init(
        bootID: String, stored: BootAnchor?, boottimeUsec: Int64, wallUsec: Int64,
        isClockTrusted: Bool
    ) {
        let wall = WallTime(usec: wallUsec)
        if let stored, stored.bootID == bootID {
            anchor = stored
            boot = Now(
                instant: Instant(usec: anchor.base.usec), wall: wall + Span(usec: -boottimeUsec))
            return
        }
        guard let stored else {
            // A new line begins at 1 so that no real moment is 0.
            boot = Now(instant: Instant(usec: 1), wall: wall)
            anchor = BootAnchor(
                bootID: bootID, number: 1, base: Span(usec: 1 - boottimeUsec), lastWall: wall,
                lastInstant: boot.instant, isWallTrusted: isClockTrusted)
            return
        }
        // Another boot: the wall clock tells how long the host was off. A clock that went back
        // tells nothing; then the line goes on as if no time had passed.
        let told = max(wall - stored.lastWall, .zero)
        let areBothTrusted = isClockTrusted && stored.isWallTrusted
        boot = Now(
            instant: stored.lastInstant + (areBothTrusted ? told : min(told, TimeLine.offMax)),
            wall: wall)
        anchor = BootAnchor(
            bootID: bootID, number: stored.number + 1,
            base: Span(usec: boot.instant.usec - boottimeUsec), lastWall: wall,
            lastInstant: boot.instant, isWallTrusted: isClockTrusted)
        // Made good when the clock is right. One that was wrong then cannot tell.
        if !isClockTrusted, stored.isWallTrusted {
            anchor.earlier = BootAnchor.Earlier(
                wall: stored.lastWall, instant: stored.lastInstant)
        }
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

    /// How far the line is behind: the host was off for longer than its clock told at the boot.
    ///
    /// Asked when the clock was stepped or became trusted. A line that is ahead stays: what ran
    /// early ran.
    /// - Returns: Nil: nothing is to be made good.
    func lag(at now: Now) -> Span? {
        guard let earlier = anchor.earlier, now.wall >= earlier.wall else { return nil }
        let moment = earlier.instant + (now.wall - earlier.wall)
        let lag = moment - now.instant
        return lag >= TimeLine.lagMin ? lag : nil
    }

    /// Clocks that are slewed, and the moments between two readings, are not worth a correction.
    private static let lagMin = Span.seconds(1)

    /// Moves the line forward, once in a boot.
    mutating func move(by span: Span) {
        anchor.base = anchor.base + span
        anchor.earlier = nil
    }

    var isWallTrusted: Bool { anchor.isWallTrusted }

    /// The clock is right: nothing is left to be made good.
    mutating func clockBecameTrusted() {
        anchor.isWallTrusted = true
        anchor.earlier = nil
    }

    /// The anchor to store, with both clocks as they stand.
    mutating func renewedAnchor(at now: Now) -> BootAnchor {
        anchor.lastWall = now.wall
        anchor.lastInstant = now.instant
        return anchor
    }
}
