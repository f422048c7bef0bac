import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerReportTests {
    private var fixture = Fixture()

    private mutating func leased(_ order: Fixture.Order = Fixture.Order()) throws -> Grant {
        try fixture.submit(order)
        fixture.pass(.seconds(2))
        return fixture.lease()[0]
    }

    @Test
    mutating func aSuccessEnds() throws {
        let grant = try leased(Fixture.Order(keyHash: 6))
        #expect(try fixture.report(grant, nil) == nil)
        let record = try fixture.record(grant.record.id)
        #expect(record.state == .succeeded)
        #expect(record.keyHash == 0)
        #expect(record.lease == nil)
        #expect(!record.isTokenOpen)
        #expect(record.recoveries == 0)
        #expect(record.attempts == 2)
        #expect(record.due == fixture.now.instant + .days(1))
        #expect(fixture.changes == [.succeeded])
        #expect(fixture.saved == [record])
        #expect(fixture.core.operations(withKeyHash: 6) == [])
    }

    @Test
    mutating func aFailureIsCountedAndDecided() throws {
        let grant = try leased()
        let decision = try #require(try fixture.report(grant, .again, eventHash: 8))
        let record = try fixture.record(grant.record.id)
        #expect(decision.due == fixture.now.instant + .seconds(4))
        #expect(record.attempts == 2)
        #expect(record.state == .scheduled)
        #expect(record.lease == nil)
        #expect(fixture.changes == [.attemptFailed, .scheduled])
        #expect(fixture.saved == [record])
        #expect(fixture.core.operation(ofEvent: 8) == record.id)
    }

    @Test
    mutating func aReportCountsOnce() throws {
        let grant = try leased()
        try fixture.report(grant, .again)
        #expect(throws: Refusal.staleLease(.scheduled)) { try fixture.report(grant, .again) }
        #expect(fixture.effects.all.isEmpty)
        #expect(try fixture.record(grant.record.id).attempts == 2)
        fixture.pass(.seconds(4))
        try fixture.report(fixture.lease()[0], nil)
        #expect(throws: Refusal.staleLease(.succeeded)) { try fixture.report(grant, nil) }
    }

    @Test
    mutating func aTokenNobodyWasGivenIsStale() throws {
        var grant = try leased()
        grant.record.token.rawValue += 1
        #expect(throws: Refusal.staleLease(.leased)) { try fixture.report(grant, nil) }
    }

    @Test
    mutating func aLateReportCountsWhileItsTokenIsTheNewest() throws {
        let grant = try leased()
        fixture.pass(.minutes(3))
        #expect(fixture.state(grant.record.id) == .ready)
        try fixture.report(grant, nil)
        #expect(fixture.state(grant.record.id) == .succeeded)
        // The lease was lost all the same.
        #expect(try fixture.record(grant.record.id).recoveries == 1)
    }

    @Test
    mutating func aLateFailureIsDecided() throws {
        let grant = try leased()
        fixture.pass(.minutes(3))
        try fixture.report(grant, .again)
        let record = try fixture.record(grant.record.id)
        #expect(record.attempts == 2)
        #expect(record.recoveries == 1)
        #expect(fixture.state(record.id) == .scheduled)
        #expect(throws: Refusal.staleLease(.scheduled)) { try fixture.report(grant, nil) }
    }

    @Test
    mutating func aLateReportByAForeignWorkerCounts() throws {
        try fixture.submit()
        fixture.pass(.seconds(2))
        let grant = fixture.lease(by: Fixture.foreignWorker)[0]
        fixture.pass(.minutes(3))
        #expect(throws: Refusal.noSuchOperation(grant.record.id)) {
            try fixture.report(grant, nil, by: Fixture.stranger)
        }
        try fixture.report(grant, nil, by: Fixture.foreignCaller)
        #expect(fixture.state(grant.record.id) == .succeeded)
    }

    @Test
    mutating func aLateReportTellsTheUnknownOutcome() throws {
        let grant = try leased(Fixture.Order(isIdempotent: false))
        fixture.pass(.minutes(3))
        #expect(try fixture.record(grant.record.id).cause == .outcomeUnknown)
        try fixture.report(grant, .again)
        let record = try fixture.record(grant.record.id)
        #expect(record.cause == .none)
        #expect(fixture.state(record.id) == .scheduled)
    }

    @Test
    mutating func aLateReportReachesAlsoAGivenUpOne() throws {
        let grant = try leased(Fixture.Order(isIdempotent: false))
        fixture.pass(.days(31))
        #expect(fixture.state(grant.record.id) == .dead)
        try fixture.report(grant, nil)
        #expect(fixture.state(grant.record.id) == .succeeded)
    }

    // MARK: Release

    @Test
    mutating func aReleaseIsADeferralAndNoAttempt() throws {
        let grant = try leased()
        #expect(try fixture.release(grant, delay: .minutes(5)) == fixture.now.instant + .minutes(5))
        let record = try fixture.record(grant.record.id)
        #expect(record.attempts == 1)
        #expect(record.deferrals == 1)
        #expect(record.recoveries == 0)
        #expect(record.lease == nil)
        #expect(fixture.changes == [.released, .scheduled])
        #expect(fixture.saved == [record])
        #expect(throws: Refusal.staleLease(.scheduled)) { try fixture.release(grant) }
    }

    @Test
    mutating func aReleaseWithoutDelayIsReadyAtOnce() throws {
        let grant = try leased()
        try fixture.release(grant)
        #expect(fixture.state(grant.record.id) == .ready)
        let next = fixture.lease()[0]
        #expect(next.attempt == 2)
        #expect(next.record.token.rawValue == 2)
    }

    @Test
    mutating func aLateReleaseFreesTheParkedOne() throws {
        let grant = try leased(Fixture.Order(isIdempotent: false))
        fixture.pass(.minutes(3))
        try fixture.release(grant, delay: .seconds(1))
        #expect(fixture.state(grant.record.id) == .scheduled)
        #expect(try fixture.record(grant.record.id).cause == .none)
    }

    @Test
    mutating func aReleasedOneStillWaitsForItsSignal() throws {
        fixture.set(.ownForeground, true)
        let grant = try leased(Fixture.Order(verdict: .foreground))
        fixture.set(.ownForeground, false)
        try fixture.release(grant)
        #expect(fixture.state(grant.record.id) == .held)
    }

    // MARK: Counters at their ends

    @Test
    mutating func countersSaturate() throws {
        var policy = Fixture.exact
        policy.attemptsMax = .max
        policy.recoveriesMax = .max
        fixture = Fixture(policies: [policy])
        let id = try fixture.submit().id
        var record = try fixture.record(id)
        record.attempts = .max - 1
        record.deferrals = .max
        record.recoveries = .max
        record.ruleRepeats = .max
        record.foregroundRepeats = .max
        record.token = LeaseToken(rawValue: .max)
        fixture = try Fixture.restored([record], lane: fixture.core.lane(record.lane), policy)
        fixture.pass(.seconds(2))
        try fixture.release(fixture.lease()[0])
        #expect(try fixture.record(id).deferrals == .max)
        fixture.set(.ownForeground, true)
        try fixture.report(fixture.lease()[0], .again)
        #expect(fixture.state(id) == .dead)
        #expect(try fixture.record(id).attempts == .max)
        #expect(try fixture.record(id).ruleRepeats == .max)
    }
}
