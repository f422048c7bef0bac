import RetryModel
import Testing

@testable import RetryCore

/// Clocks that are wrong, and are set.
@Suite
struct SchedulerClocksTests {
    private var fixture = Fixture()

    @Test
    mutating func relativeDelaysStayWhateverTheWallClockDoes() throws {
        let id = try fixture.submit().id
        let due = try fixture.record(id).due
        fixture.stepWall(.hours(1))
        #expect(try fixture.record(id).due == due)
        fixture.restart()
        #expect(try fixture.record(id).due == due)
        fixture.stepWall(.hours(-1))
        fixture.restart()
        #expect(try fixture.record(id).due == due)
        fixture.pass(.milliseconds(1_999))
        #expect(fixture.state(id) == .scheduled)
        fixture.pass(.milliseconds(1))
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func datesFollowTheWallClockOverARestart() throws {
        let date = fixture.now.wall + .hours(2)
        let id = try fixture.submit(Fixture.Order(verdict: .again(at: date))).id
        let wait = try fixture.wait(id)
        fixture.now.wall = fixture.now.wall + .hours(1)
        fixture.restart()
        #expect(try fixture.wait(id) == Span(usec: wait.usec - Span.hours(1).usec))
        fixture.stepWall(.hours(-1))
        #expect(try fixture.wait(id) == wait)
    }

    @Test
    mutating func aClockThatIsSetFrom1970MakesNothingTooOld() throws {
        let set = fixture.now.wall
        fixture.now.wall = WallTime(usec: 5_000_000)
        let id = try fixture.submit().id
        #expect(try fixture.record(id).firstFailure == WallTime(usec: 5_000_000))
        fixture.stepWall(set - fixture.now.wall)
        fixture.pass(.seconds(2))
        let decision = try fixture.report(try #require(fixture.lease().first), .again)
        #expect(decision?.outcome == .waiting)
        // Nor over a restart.
        fixture.restart()
        fixture.pass(.seconds(4))
        let later = try fixture.report(try #require(fixture.lease().first), .again)
        #expect(later?.outcome == .waiting)
    }

    @Test
    mutating func anAgeIsThatOfTheTimeLine() throws {
        try fixture.submit()
        fixture.pass(.days(5))
        // The wall clock was set back meanwhile.
        fixture.stepWall(.days(-5))
        let decision = try fixture.report(try #require(fixture.lease().first), .again)
        #expect(decision?.outcome == .dead(.tooOld))
    }

    @Test
    mutating func aDateIsNotTrustedWhileTheClockIsNotSet() throws {
        let date = fixture.now.wall + .hours(2)
        let id = try fixture.submit(Fixture.Order(verdict: .again(at: date))).id
        let plain = try fixture.submit().id
        fixture.core.clockTrustChanged(to: false)
        let due = try fixture.record(id).due
        #expect(fixture.reasons(id) == [.clockUntrusted(until: due)])
        #expect(fixture.reasons(plain)[0].code.description == "backoff-until")
        fixture.core.clockTrustChanged(to: true)
        #expect(fixture.reasons(id) == [.serverSaidUntil(due)])
    }
}
