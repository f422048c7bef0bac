import RetryModel
import RetryStore
import SystemKit
import Testing

@testable import RetryDaemon

/// The line of moments goes on over restarts and reboots, whatever the wall clock does.
@Suite
struct TimeLineTests {
    private static let hourUsec: Int64 = 3_600_000_000

    private func anchor(boot: String = "one", number: UInt32 = 4) -> BootAnchor {
        BootAnchor(
            bootID: boot, number: number, base: Span(usec: 500),
            lastWall: WallTime(usec: 1_000_000_000), lastInstant: Instant(usec: 70_000))
    }

    @Test
    func aNewLineBeginsAtOne() {
        let line = TimeLine(
            bootID: "one", stored: nil, boottimeUsec: 9_000, wallUsec: 1_700_000_000_000_000)
        #expect(line.anchor.number == 1)
        #expect(line.anchor.base == Span(usec: -8_999))
        #expect(line.boottimeUsec(of: Instant(usec: 1)) == 9_000)
    }

    @Test
    func aRestartInTheSameBootGoesOnWithTheSameBase() {
        let line = TimeLine(
            bootID: "one", stored: anchor(), boottimeUsec: 123_456, wallUsec: 5)
        #expect(line.anchor == anchor())
        #expect(line.boottimeUsec(of: Instant(usec: 70_000)) == 69_500)
    }

    @Test
    func aRebootContinuesByWhatTheWallClockSays() {
        let line = TimeLine(
            bootID: "two", stored: anchor(), boottimeUsec: 10_000,
            wallUsec: 1_000_000_000 + TimeLineTests.hourUsec)
        #expect(line.anchor.bootID == "two")
        #expect(line.anchor.number == 5)
        // At boot time 10,000 the line is one hour behind its last known moment.
        #expect(line.boottimeUsec(of: Instant(usec: 70_000 + TimeLineTests.hourUsec)) == 10_000)
    }

    @Test
    func aClockThatWentBackOverARebootTakesNothingBack() {
        let line = TimeLine(
            bootID: "two", stored: anchor(), boottimeUsec: 10_000, wallUsec: 1)
        #expect(line.boottimeUsec(of: Instant(usec: 70_000)) == 10_000)
    }

    @Test
    func bothClocksAreTakenTogether() {
        var line = TimeLine(
            bootID: "one", stored: nil, boottimeUsec: Clocks.boottimeUsec(),
            wallUsec: Clocks.realtimeUsec())
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
            wallUsec: Clocks.realtimeUsec())
        let due = line.now().instant + .hours(1)
        let told = line.now().wall(of: due)
        for _ in 0..<100 { #expect(line.now().wall(of: due) == told) }
    }

    @Test
    func theStoredAnchorHasBothClocks() {
        var line = TimeLine(bootID: "one", stored: anchor(), boottimeUsec: 1, wallUsec: 1)
        let now = Now(instant: Instant(usec: 88), wall: WallTime(usec: 99))
        let renewed = line.renewedAnchor(at: now)
        #expect(renewed.lastInstant == Instant(usec: 88))
        #expect(renewed.lastWall == WallTime(usec: 99))
        #expect(renewed.base == Span(usec: 500))
        #expect(line.anchor == renewed)
    }
}
