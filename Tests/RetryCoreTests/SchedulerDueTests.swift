import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerDueTests {
    private var fixture = Fixture()

    @Test
    mutating func handlesABoundedNumberInOneTurn() throws {
        fixture.checksEveryAct = false
        for _ in 0..<(Limits.duePerTurnMax + 5) { try fixture.submit() }
        fixture.now.instant = fixture.now.instant + .seconds(2)
        var effects = Effects()
        fixture.core.timePassed(now: fixture.now, into: &effects)
        #expect(fixture.core.counts[.ready] == Limits.duePerTurnMax)
        let due = try #require(fixture.core.nextDue)
        #expect(due <= fixture.now.instant)
        fixture.core.timePassed(now: fixture.now, into: &effects)
        #expect(fixture.core.counts[.ready] == Limits.duePerTurnMax + 5)
        fixture.core.checkInvariants()
    }

    @Test
    mutating func whatIsParkedTooLongIsGivenUp() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .newFlow)).id
        fixture.pass(Span(usec: Span.days(30).usec - 1))
        #expect(fixture.state(id) == .parked)
        fixture.pass(Span(usec: 1))
        #expect(fixture.state(id) == .dead)
        #expect(try fixture.record(id).cause == .parkedTooLong)
        #expect(fixture.changes == [.gaveUp(.parkedTooLong)])
    }

    @Test
    mutating func deadOnesAreRemovedAfterTheirTime() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 3, verdict: .never)).id
        fixture.pass(.days(30))
        #expect(fixture.state(id) == nil)
        #expect(fixture.changes == [.removed])
        #expect(fixture.effects.all.contains(.remove(id)))
        #expect(fixture.core.operations(withKeyHash: 3) == [])
        #expect(fixture.core.nextDue == nil)
    }

    @Test
    mutating func endedOnesAreRemovedAfterADay() throws {
        let id = try fixture.submit().id
        try fixture.cancel(id)
        fixture.pass(Span(usec: Span.days(1).usec - 1))
        #expect(fixture.state(id) == .cancelled)
        fixture.pass(Span(usec: 1))
        #expect(fixture.state(id) == nil)
    }

    @Test
    mutating func keptOnesAreBoundedInCountTheOldestGoFirst() throws {
        var limits = SchedulerLimits()
        limits.deadKeptMax = 2
        limits.endedKeptMax = 1
        fixture = Fixture(limits: limits)
        var dead: [OperationID] = []
        for _ in 0..<4 {
            dead.append(try fixture.submit(Fixture.Order(verdict: .never)).id)
            fixture.pass(.seconds(1))
        }
        #expect(dead.map { fixture.state($0) } == [nil, nil, .dead, .dead])
        let first = try fixture.submit().id
        let second = try fixture.submit().id
        try fixture.cancel(first)
        try fixture.cancel(second)
        #expect(fixture.state(first) == nil)
        #expect(fixture.state(second) == .cancelled)
        #expect(fixture.effects.all.contains(.remove(first)))
    }

    /// Who has most loses his oldest: nobody's go because of somebody who has more.
    @Test
    mutating func nobodyLosesKeptOnesToSomebodyElse() throws {
        var limits = SchedulerLimits()
        limits.deadKeptMax = 4
        limits.endedKeptMax = 3
        fixture = Fixture(limits: limits)
        let own = try fixture.submit(Fixture.Order(owner: 1_000, verdict: .never)).id
        fixture.pass(.seconds(1))
        var others: [OperationID] = []
        for _ in 0..<20 {
            others.append(try fixture.submit(Fixture.Order(owner: 2_000, verdict: .never)).id)
            fixture.pass(.seconds(1))
        }
        #expect(fixture.state(own) == .dead)
        #expect(others.map { fixture.state($0) } == Array(repeating: nil, count: 17)
            + [.dead, .dead, .dead])

        let cancelled = try fixture.submit(Fixture.Order(owner: 1_000)).id
        try fixture.cancel(cancelled)
        for _ in 0..<10 {
            let id = try fixture.submit(Fixture.Order(owner: 2_000)).id
            try fixture.cancel(id, by: Caller(user: 2_000, isAdmin: false))
        }
        #expect(fixture.state(cancelled) == .cancelled)
        #expect(fixture.core.counts[.cancelled] == 3)
    }

    @Test
    mutating func aLoweredBoundIsReached() throws {
        for _ in 0..<40 { try fixture.submit(Fixture.Order(verdict: .never)) }
        var limits = SchedulerLimits()
        limits.deadKeptMax = 3
        fixture.core.limitsChanged(to: limits)
        for _ in 0..<3 { try fixture.submit(Fixture.Order(verdict: .never)) }
        #expect(fixture.core.counts[.dead] == 3)
    }

    @Test
    mutating func aBoundOfZeroKeepsNothing() throws {
        var limits = SchedulerLimits()
        limits.deadKeptMax = 0
        limits.endedKeptMax = 0
        fixture = Fixture(limits: limits)
        let dead = try fixture.submit(Fixture.Order(eventHash: 4, verdict: .never)).id
        #expect(fixture.state(dead) == nil)
        #expect(fixture.core.operation(ofEvent: 4) == dead)
        let id = try fixture.submit().id
        try fixture.cancel(id)
        #expect(fixture.state(id) == nil)
    }

    // MARK: Steps of the wall clock

    @Test
    mutating func aStepMovesNoRelativeDelay() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .again(after: .minutes(1)))).id
        let due = try fixture.record(id).due
        fixture.stepWall(.hours(1))
        #expect(try fixture.record(id).due == due)
        fixture.stepWall(.hours(-5))
        #expect(try fixture.record(id).due == due)
        #expect(fixture.effects.all.isEmpty)
    }

    @Test
    mutating func aDateFollowsTheWallClock() throws {
        let date = fixture.now.wall + .hours(2)
        let id = try fixture.submit(Fixture.Order(verdict: .again(at: date))).id
        let due = try fixture.record(id).due
        fixture.stepWall(.hours(1))
        #expect(try fixture.record(id).due == due + .hours(-1))
        #expect(fixture.state(id) == .scheduled)
        fixture.stepWall(.hours(5))
        #expect(fixture.state(id) == .ready)
        // Set back before anybody came: it waits again.
        fixture.stepWall(.hours(-6))
        #expect(fixture.state(id) == .scheduled)
        #expect(try fixture.record(id).due == due)
    }

    @Test
    mutating func aLeasedOneForgetsTheDate() throws {
        let date = fixture.now.wall + .hours(1)
        let id = try fixture.submit(Fixture.Order(verdict: .again(at: date))).id
        fixture.pass(.hours(2))
        _ = fixture.lease()
        #expect(try fixture.record(id).dueWall == nil)
        fixture.stepWall(.hours(-9))
        #expect(fixture.state(id) == .leased)
    }
}
