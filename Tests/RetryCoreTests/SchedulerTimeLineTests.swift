import RetryModel
import Testing

@testable import RetryCore

/// A host that was off for longer than its clock told at the boot.
@Suite
struct SchedulerTimeLineTests {
    private var fixture = Fixture()
    /// The clock before the boot.
    private var right = WallTime(usec: 0)
    private var boot = Now(instant: Instant(usec: 0), wall: WallTime(usec: 0))

    /// The daemon starts in a new boot, ten seconds after 1970 began, and runs for a while.
    private mutating func reboot(_ settings: DestinationSettings = DestinationSettings()) {
        right = fixture.now.wall
        fixture.now.wall = WallTime(usec: 10_000_000)
        fixture.restart(settings)
        boot = fixture.now
        fixture.pass(.seconds(20))
    }

    /// The clock is set: the host was off for so long.
    private mutating func makeGood(_ lag: Span) {
        let uptime = fixture.now.instant - boot.instant
        fixture.makeGood(lag, of: boot, wall: right + lag + uptime)
    }

    private func submit(
        _ fixture: inout Fixture, after span: Span, _ order: Fixture.Order = Fixture.Order()
    ) throws -> OperationID {
        var order = order
        order.verdict = .again(after: span)
        return try fixture.submit(order).id
    }

    @Test
    mutating func delaysFromBeforeEndEarlierAndLaterOnesDoNot() throws {
        let old = try submit(&fixture, after: .hours(6))
        reboot()
        let new = try submit(&fixture, after: .hours(6))
        let waits = [try fixture.wait(old), try fixture.wait(new)]
        makeGood(.hours(5))
        #expect(fixture.saved.map(\.id) == [new])
        for _ in 0..<2 {
            #expect(try fixture.wait(old) == waits[0] + .hours(-5))
            #expect(try fixture.wait(new) == waits[1])
            fixture.restart()
        }
    }

    @Test
    mutating func whatRunsIsNotLost() throws {
        let id = try fixture.submit().id
        reboot()
        let grant = try #require(fixture.lease().first)
        let wait = try fixture.wait(id)
        makeGood(.days(2))
        #expect(fixture.state(id) == .leased)
        #expect(try fixture.wait(id) == wait)
        let decision = try fixture.report(grant, .again)
        #expect(decision?.outcome == .waiting)
    }

    @Test
    mutating func whatIsHeldIsParkedInItsTime() throws {
        let old = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        fixture.set(.ownForeground, true)
        reboot()
        // It is held anew from this boot on.
        fixture.set(.ownForeground, false)
        let new = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        let ends = fixture.reasons(old).map(\.until)
        makeGood(.days(40))
        #expect(fixture.state(old) == .held)
        #expect(fixture.state(new) == .held)
        let later = ends.map { $0.map { $0 + .days(40) } }
        #expect(fixture.reasons(old).map(\.until) == later)
    }

    @Test
    mutating func levelsAndPausesOfThisBootLastAsLongAsWasSaid() throws {
        try fixture.pause(PauseScope(queue: "old"), lasting: .hours(2))
        reboot()
        try fixture.pause(PauseScope(queue: "new"), lasting: .hours(2))
        fixture.set(.ownForeground, true, lasting: .seconds(60))
        makeGood(.hours(1))
        for _ in 0..<2 {
            let pauses = fixture.core.pauses(visibleTo: Fixture.admin)
            #expect(
                pauses.map { $0.record.until.map { $0 - fixture.now.instant } }
                    == [.seconds(3_580), .hours(2)])
            let level = try #require(
                fixture.core.signals(visibleTo: Fixture.owner).first {
                    $0.record.name == .ownForeground
                })
            #expect(level.record.isOn)
            #expect(level.record.until == fixture.now.instant + .seconds(60))
            fixture.restart()
        }
    }

    @Test
    mutating func anOpenBreakerStaysOpen() throws {
        reboot()
        for _ in 0..<5 {
            let id = try fixture.submit(Fixture.Order(destination: "mx1")).id
            try fixture.retry(id)
            try fixture.report(try #require(fixture.lease().first), .again)
        }
        #expect(fixture.breakers == [.open])
        func openFor() throws -> Span {
            let views = fixture.core.destinations(
                visibleTo: Fixture.admin, now: fixture.now)
            return try #require(views.first?.until) - fixture.now.instant
        }
        let before = try openFor()
        makeGood(.hours(1))
        #expect(try openFor() == before)
        fixture.restart()
        #expect(try openFor() == before)
        fixture.pass(before)
        #expect(fixture.breakers == [.halfOpen])
    }

    @Test
    mutating func agesCountTheTimeTheHostWasOff() throws {
        let old = try fixture.submit().id
        reboot()
        let new = try fixture.submit().id
        makeGood(.days(6))
        fixture.pass(.seconds(10))
        var outcomes: [OperationID: Decision.Outcome] = [:]
        for grant in fixture.lease(2) {
            outcomes[grant.record.id] = try fixture.report(grant, .again)?.outcome
        }
        #expect(outcomes == [old: .dead(.tooOld), new: .waiting])
    }

    @Test
    mutating func whatCameDueMeanwhileGoesByAndBy() throws {
        var ramp = RampSettings()
        ramp.first = 10
        for _ in 0..<100 { _ = try submit(&fixture, after: .hours(6)) }
        reboot()
        fixture.core.rampChanged(to: ramp)
        makeGood(.hours(7))
        fixture.core.timePassed(now: fixture.now, into: &fixture.effects)
        #expect(fixture.core.counts[.ready] == 10)
        fixture.pass(.seconds(2))
        #expect(fixture.core.counts[.ready] == 100)
        let report = try #require(fixture.reports.first)
        #expect(report.trigger == .overdue)
        #expect(report.peak <= 40)
    }

    @Test
    mutating func datesStayWhereTheWallClockHasThem() throws {
        let date = fixture.now.wall + .days(30)
        let id = try fixture.submit(Fixture.Order(verdict: .again(at: date))).id
        let wait = try fixture.wait(id)
        fixture.restart()
        boot = fixture.now
        // The clock was right all the time, and nobody vouched for it.
        fixture.makeGood(.days(9), of: boot, wall: fixture.now.wall)
        #expect(fixture.state(id) == .scheduled)
        #expect(try fixture.wait(id) == wait)
    }

    @Test
    mutating func anEndThatWasRenewedInThisBootIsNotEarly() throws {
        fixture.set(.ownForeground, true, lasting: .hours(1))
        reboot()
        fixture.set(.ownForeground, true, lasting: .hours(1))
        makeGood(.hours(5))
        fixture.pass(.minutes(59))
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(fixture.state(id) == .scheduled)
        fixture.pass(.minutes(1))
        #expect(fixture.state(id) == .held)
    }
}
