import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerRecoverTests {
    private var fixture = Fixture()

    private static func order(
        _ verdict: Verdict, credential: String? = "oauth:alice", owner: UserID = 1_000
    ) -> Fixture.Order {
        Fixture.Order(owner: owner, credential: credential, verdict: verdict)
    }

    private var refusals: [Effect] {
        fixture.effects.all.filter { effect in
            if case .credentialRefused = effect { true } else { false }
        }
    }

    // MARK: Recover

    @Test
    mutating func aNewSignInReleasesAllThatWaitsForIt() throws {
        let others = try [1, 2].map { _ in
            try fixture.submit(SchedulerRecoverTests.order(.again)).id
        }
        let foreign = try fixture.submit(
            SchedulerRecoverTests.order(.again, owner: 2_000)).id
        let refused = try fixture.submit(SchedulerRecoverTests.order(.signIn)).id
        #expect(others.map { fixture.state($0) } == [.held, .held])
        #expect(fixture.state(foreign) == .scheduled)
        #expect(try fixture.recover(refused, .signIn) == .retried)
        #expect(fixture.state(refused) == .ready)
        // The others keep their back-off.
        #expect(others.map { fixture.state($0) } == [.scheduled, .scheduled])
        #expect(fixture.core.isOn(.ownCredential()))
        #expect(fixture.changes.last == .recovered(.retried))
    }

    @Test
    mutating func retryingAloneDoesNotRenewASignIn() throws {
        let id = try fixture.submit(SchedulerRecoverTests.order(.signIn)).id
        #expect(try fixture.recover(id, .retry) == .retried)
        #expect(fixture.state(id) == .held)
        #expect(!fixture.core.isOn(.ownCredential()))
    }

    @Test
    mutating func aSignInWithoutNameIsARetry() throws {
        let id = try fixture.submit(SchedulerRecoverTests.order(.signIn, credential: nil)).id
        #expect(fixture.state(id) == .parked)
        #expect(try fixture.recover(id, .signIn) == .retried)
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func cancellingEnds() throws {
        let id = try fixture.submit(SchedulerRecoverTests.order(.never)).id
        #expect(try fixture.recover(id, .cancel) == .cancelled)
        #expect(fixture.changes == [.cancelled, .recovered(.cancelled)])
        #expect(throws: Refusal.wrongState(.cancelled)) { try fixture.recover(id, .retry) }
    }

    @Test
    mutating func othersMayNotChoose() throws {
        let id = try fixture.submit(SchedulerRecoverTests.order(.signIn)).id
        #expect(throws: Refusal.noSuchOperation(id)) {
            try fixture.recover(id, .signIn, by: Fixture.stranger)
        }
        #expect(!fixture.core.isOn(.ownCredential()))
    }

    /// An attempt runs: no signal is set either.
    @Test
    mutating func nothingIsChosenWhileAnAttemptRuns() throws {
        let id = try fixture.submit(SchedulerRecoverTests.order(.again)).id
        fixture.pass(.seconds(2))
        _ = fixture.lease()
        fixture.set(.ownCredential(), false)
        #expect(throws: Refusal.wrongState(.leased)) { try fixture.recover(id, .signIn) }
        #expect(!fixture.core.isOn(.ownCredential()))
    }

    // MARK: Resolve

    @Test
    mutating func whatIsResolvedBeginsAnew() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 7, verdict: .again)).id
        fixture.pass(.seconds(2))
        try fixture.report(fixture.lease()[0], .newFlow)
        fixture.pass(.days(4))
        #expect(try fixture.resolve(id) == nil)
        let record = try fixture.record(id)
        #expect(fixture.state(id) == .ready)
        #expect(record.keyHash == 7)
        #expect(record.attempts == 0)
        #expect(record.deferrals == 0)
        #expect(record.firstFailure == fixture.now.wall)
        #expect(record.cause == .none)
        #expect(fixture.changes == [.resolved, .ready])
        #expect(fixture.saved == [record])
    }

    @Test
    mutating func aFailureOfTheNewFlowIsItsFirst() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .newFlow)).id
        fixture.pass(.days(20))
        let decision = try #require(try fixture.resolve(id, .again, eventHash: 9))
        #expect(decision.outcome == .waiting)
        #expect(decision.delay == .seconds(2))
        #expect(try fixture.record(id).attempts == 1)
        #expect(fixture.core.operation(ofEvent: 9) == id)
        // And its new flow may need yet another one.
        fixture.pass(.seconds(2))
        try fixture.report(fixture.lease()[0], .newFlow)
        #expect(fixture.state(id) == .parked)
    }

    /// The worker that was lost works on the old flow: its word counts no more.
    @Test
    mutating func aLateReportOnWhatWasResolvedIsStale() throws {
        let id = try fixture.submit(Fixture.Order(isIdempotent: false)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        _ = fixture.holderDied(Fixture.worker)
        #expect(fixture.state(id) == .parked)
        try fixture.resolve(id)
        #expect(throws: Refusal.staleLease(.ready)) { try fixture.report(grant, nil) }
    }

    // MARK: Refused credentials

    @Test
    mutating func aRefusalIsToldOnce() throws {
        let first = try fixture.submit(SchedulerRecoverTests.order(.signIn)).id
        #expect(refusals == [.credentialRefused(.ownCredential(), by: first)])
        try fixture.submit(SchedulerRecoverTests.order(.signIn))
        #expect(refusals == [])
        fixture.set(.ownCredential(), true)
        let third = try fixture.submit(SchedulerRecoverTests.order(.signIn)).id
        #expect(refusals == [.credentialRefused(.ownCredential(), by: third)])
    }

    /// An attempt that began before the renewal speaks of the old sign-in.
    @Test
    mutating func aRefusalFromBeforeTheRenewalHoldsNothing() throws {
        let id = try fixture.submit(SchedulerRecoverTests.order(.again)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        #expect(grant.record.lease?.credentialGeneration == 0)
        fixture.set(.ownCredential(), false)
        fixture.set(.ownCredential(), true)
        try fixture.report(grant, .signIn)
        #expect(refusals == [])
        #expect(fixture.core.isOn(.ownCredential()))
        #expect(fixture.state(id) == .ready)
        // The next one began under the new sign-in.
        let next = fixture.lease()[0]
        #expect(next.record.lease?.credentialGeneration == 1)
        try fixture.report(next, .signIn)
        #expect(refusals == [.credentialRefused(.ownCredential(), by: id)])
        #expect(fixture.state(id) == .held)
    }

    /// The same for a failure that is handed over later than it came.
    @Test
    mutating func aFailureReceivedBeforeTheRenewalHoldsNothing() throws {
        try fixture.submit(SchedulerRecoverTests.order(.signIn))
        let before = fixture.now.wall
        fixture.pass(.minutes(1))
        fixture.set(.ownCredential(), true)
        fixture.pass(.minutes(1))
        var stale = Verdict.signIn
        stale.receivedAt = before
        let late = try fixture.submit(SchedulerRecoverTests.order(stale)).id
        #expect(refusals == [])
        #expect(fixture.state(late) == .ready)
        var fresh = Verdict.signIn
        fresh.receivedAt = fixture.now.wall
        try fixture.submit(SchedulerRecoverTests.order(fresh))
        #expect(refusals.count == 1)
        #expect(fixture.state(late) == .held)
    }
}
