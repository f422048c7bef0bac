import RetryModel
import RetryStore
import SystemKit
import Testing

@testable import RetryDaemon

/// The line of moments goes on over restarts and reboots, whatever the wall clock does.
@Suite
struct TimeLineTests {
    private static let hourUsec: Int64 = 3_600_000_000

    private func anchor(
        boot: String = "one", number: UInt32 = 4, isTrusted: Bool = true
    ) -> BootAnchor {
        BootAnchor(
            bootID: boot, number: number, base: Span(usec: 500),
            lastWall: WallTime(usec: 1_000_000_000), lastInstant: Instant(usec: 70_000),
            isWallTrusted: isTrusted)
    }

    @Test
    func aNewLineBeginsAtOne() {
        let line = TimeLine(
            bootID: "one", stored: nil, boottimeUsec: 9_000, wallUsec: 1_700_000_000_000_000,
            isClockTrusted: true)
        #expect(line.anchor.number == 1)
        #expect(line.anchor.base == Span(usec: -8_999))
        #expect(line.boottimeUsec(of: Instant(usec: 1)) == 9_000)
    }

    @Test
    func aRestartInTheSameBootGoesOnWithTheSameBase() {
        let line = TimeLine(
            bootID: "one", stored: anchor(), boottimeUsec: 123_456, wallUsec: 5,
            isClockTrusted: true)
        #expect(line.anchor == anchor())
        #expect(line.boottimeUsec(of: Instant(usec: 70_000)) == 69_500)
    }

    @Test
    func aRebootContinuesByWhatTheWallClockSays() {
        let line = TimeLine(
            bootID: "two", stored: anchor(), boottimeUsec: 10_000,
            wallUsec: 1_000_000_000 + TimeLineTests.hourUsec,
            isClockTrusted: true)
        #expect(line.anchor.bootID == "two")
        #expect(line.anchor.number == 5)
        // At boot time 10,000 the line is one hour behind its last known moment.
        #expect(line.boottimeUsec(of: Instant(usec: 70_000 + TimeLineTests.hourUsec)) == 10_000)
    }

    @Test
    func aClockThatWentBackOverARebootTakesNothingBack() {
        let line = TimeLine(
            bootID: "two", stored: anchor(), boottimeUsec: 10_000, wallUsec: 1,
            isClockTrusted: true)
        #expect(line.boottimeUsec(of: Instant(usec: 70_000)) == 10_000)
    }

    @Test
    func bothClocksAreTakenTogether() {
        var line = TimeLine(
            bootID: "one", stored: nil, boottimeUsec: Clocks.boottimeUsec(),
            wallUsec: Clocks.realtimeUsec(), isClockTrusted: true)
        let before = Clocks.realtimeUsec()
        let now = line.now()
        let after = Clocks.realtimeUsec()
        #expect(now.wall.usec >= before - 200 && now.wall.usec <= after + 200)
        let boottime = line.boottimeUsec(of: now.instant)
        #expect(abs(boottime - Clocks.boottimeUsec()) < 1_000_000)
    }

    @Test
    func theSameMomentIsToldTheSameEachTime() {
        var line = TimeLine(
            bootID: "one", stored: nil, boottimeUsec: Clocks.boottimeUsec(),
            wallUsec: Clocks.realtimeUsec(), isClockTrusted: true)
        let due = line.now().instant + .hours(1)
        let told = line.now().wall(of: due)
        for _ in 0..<100 { #expect(line.now().wall(of: due) == told) }
    }

    @Test
    func theStoredAnchorHasBothClocks() {
        var line = TimeLine(
            bootID: "one", stored: anchor(), boottimeUsec: 1, wallUsec: 1, isClockTrusted: true)
        let now = Now(instant: Instant(usec: 88), wall: WallTime(usec: 99))
        let renewed = line.renewedAnchor(at: now)
        #expect(renewed.lastInstant == Instant(usec: 88))
        #expect(renewed.lastWall == WallTime(usec: 99))
        #expect(renewed.base == Span(usec: 500))
        #expect(line.anchor == renewed)
    }

    // MARK: A clock that is not set yet

    private static let dayUsec: Int64 = 86_400_000_000

    /// A boot that begins so long after the stored moment, by an untrusted clock.
    private func untrusted(
        after usec: Int64, stored: BootAnchor? = nil, isTrusted: Bool = false
    ) -> TimeLine {
        TimeLine(
            bootID: "two", stored: stored ?? anchor(), boottimeUsec: 10_000,
            wallUsec: 1_000_000_000 + usec, isClockTrusted: isTrusted)
    }

    private func moment(_ line: TimeLine, wallUsec: Int64) -> Now {
        Now(instant: line.boot.instant + .seconds(30), wall: WallTime(usec: wallUsec))
    }

    @Test
    func anUntrustedClockIsBelievedForADay() {
        #expect(
            untrusted(after: 400 * Self.dayUsec).boot.instant
                == Instant(usec: 70_000 + Self.dayUsec))
        #expect(untrusted(after: 5).boot.instant == Instant(usec: 70_005))
        #expect(
            untrusted(after: 400 * Self.dayUsec, isTrusted: true).boot.instant
                == Instant(usec: 70_000 + 400 * Self.dayUsec))
        // What was stored by a clock that was wrong is no better.
        #expect(
            untrusted(
                after: 400 * Self.dayUsec, stored: anchor(isTrusted: false), isTrusted: true
            ).boot.instant == Instant(usec: 70_000 + Self.dayUsec))
    }

    @Test
    func theLineIsMadeGoodWhenTheClockIsSet() {
        // At 1970 after the boot; five hours after the stored moment in truth.
        var line = untrusted(after: -1_000_000_000)
        #expect(line.boot.instant == Instant(usec: 70_000))
        #expect(line.lag(at: moment(line, wallUsec: 30_000_000)) == nil)
        let set = moment(line, wallUsec: 1_000_000_000 + 5 * Self.hourUsec + 30_000_000)
        #expect(line.lag(at: set) == .hours(5))
        line.move(by: .hours(5))
        #expect(line.boottimeUsec(of: Instant(usec: 70_000 + 5 * Self.hourUsec)) == 10_000)
        // Once.
        #expect(line.lag(at: moment(line, wallUsec: .max / 2)) == nil)
    }

    @Test
    func aRestartInTheSameBootStillMakesItGood() {
        let before = untrusted(after: 0)
        let line = TimeLine(
            bootID: "two", stored: before.anchor, boottimeUsec: 60_000_000,
            wallUsec: 1_060_000_000, isClockTrusted: false)
        let set = Now(
            instant: Instant(usec: 70_000 + 60_000_000),
            wall: WallTime(usec: 1_060_000_000 + Self.hourUsec))
        #expect(line.lag(at: set) == .hours(1))
        // All that is from this boot is.
        #expect(line.boot.wall == WallTime(usec: 1_000_000_000))
        #expect(line.boot.instant == before.boot.instant + Span(usec: -10_000))
    }

    @Test
    func aLineThatIsRightOrAheadStays() {
        let line = untrusted(after: Self.hourUsec)
        let wallUsec = 1_000_000_000 + Self.hourUsec
        #expect(line.lag(at: moment(line, wallUsec: wallUsec + 30_500_000)) == nil)
        #expect(line.lag(at: moment(line, wallUsec: wallUsec - 600_000_000)) == nil)
        var trusted = untrusted(after: 0)
        trusted.clockBecameTrusted()
        #expect(trusted.anchor.isWallTrusted)
        #expect(trusted.lag(at: moment(trusted, wallUsec: .max / 2)) == nil)
        #expect(untrusted(after: 0, isTrusted: true).anchor.earlier == nil)
    }
}
