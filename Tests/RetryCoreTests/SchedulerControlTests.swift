import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerControlTests {
    private var fixture = Fixture()

    // MARK: Cancel

    @Test
    mutating func whatIsCancelledEnds() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 7, verdict: .foreground)).id
        try fixture.cancel(id)
        let record = try fixture.record(id)
        #expect(record.state == .cancelled)
        #expect(record.keyHash == 0)
        #expect(record.condition == nil)
        #expect(fixture.changes == [.cancelled])
        #expect(fixture.saved == [record])
        #expect(fixture.set(.ownForeground, true) == 0)
    }

    @Test
    mutating func aRunningAttemptLearnsOfItsCancel() throws {
        let id = try fixture.submit().id
        fixture.pass(.seconds(2))
        let grant = fixture.lease(by: Fixture.foreignWorker)[0]
        try fixture.cancel(id)
        #expect(throws: Refusal.staleLease(.cancelled)) {
            _ = try fixture.extend(grant, by: Fixture.foreignCaller)
        }
        #expect(throws: Refusal.staleLease(.cancelled)) {
            try fixture.report(grant, nil, by: Fixture.foreignCaller)
        }
        #expect(fixture.state(id) == .cancelled)
    }

    @Test
    mutating func othersMayNotCancel() throws {
        let id = try fixture.submit().id
        #expect(
            throws: Refusal.noSuchOperation(id)
        ) { try fixture.cancel(id, by: Fixture.stranger) }
        #expect(throws: Refusal.noSuchOperation(OperationID(rawValue: 99))) {
            try fixture.cancel(OperationID(rawValue: 99))
        }
        #expect(fixture.state(id) == .scheduled)
        try fixture.cancel(id, by: Fixture.admin)
        #expect(fixture.state(id) == .cancelled)
    }

    // MARK: Retry

    @Test
    mutating func retryingSkipsTheBackoff() throws {
        let id = try fixture.submit().id
        try fixture.retry(id)
        #expect(fixture.state(id) == .ready)
        #expect(fixture.changes == [.ready])
        // By hand or by time, the count of attempts goes on.
        #expect(try fixture.record(id).attempts == 1)
        #expect(try fixture.record(id).since == fixture.now.wall)
    }

    @Test
    mutating func retryingDoesNotWaitForTheCondition() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        try fixture.retry(id)
        #expect(fixture.state(id) == .ready)
        #expect(try fixture.record(id).condition == nil)
    }

    @Test
    mutating func aRefusedCredentialHoldsWhatIsRetried() throws {
        let id = try fixture.submit(
            Fixture.Order(credential: "oauth:alice", verdict: .signIn)
        ).id
        try fixture.retry(id)
        #expect(fixture.state(id) == .held)
        #expect(fixture.set(.ownCredential(), true) == 1)
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func retryingForgetsTheDateOfTheServer() throws {
        let date = fixture.now.wall + .hours(1)
        let id = try fixture.submit(Fixture.Order(verdict: .again(at: date))).id
        try fixture.retry(id)
        #expect(try fixture.record(id).dueWall == nil)
        fixture.stepWall(.hours(-3))
        #expect(fixture.state(id) == .ready)
    }

    @Test(arguments: [Verdict.never, .newFlow])
    mutating func givenUpAndParkedOnesStartWithFreshLimits(verdict: Verdict) throws {
        let id = try fixture.submit(Fixture.Order(verdict: verdict)).id
        fixture.pass(.days(6))
        try fixture.retry(id)
        #expect(fixture.changes == [.revived, .ready])
        let record = try fixture.record(id)
        #expect(record.attempts == 0)
        #expect(record.cause == .none)
        #expect(record.firstFailure == fixture.now.wall)
        #expect(record.previousDelayMs == 0)
        // Six days old, and not too old.
        try fixture.report(fixture.lease()[0], .again)
        #expect(fixture.state(id) == .scheduled)
        #expect(try fixture.record(id).attempts == 1)
    }

    @Test
    mutating func whatRunsOrHasEndedIsNotRetried() throws {
        let id = try fixture.submit().id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        #expect(throws: Refusal.wrongState(.leased)) { try fixture.retry(id) }
        #expect(throws: Refusal.wrongState(.leased)) { try fixture.reclassify(id, .again) }
        try fixture.report(grant, nil)
        #expect(throws: Refusal.wrongState(.succeeded)) { try fixture.retry(id) }
        #expect(throws: Refusal.wrongState(.succeeded)) { try fixture.reclassify(id, .again) }
        #expect(throws: Refusal.wrongState(.succeeded)) { try fixture.cancel(id) }
        #expect(throws: Refusal.noSuchOperation(id)) {
            try fixture.retry(id, by: Fixture.stranger)
        }
    }

    // MARK: Reclassify

    @Test
    mutating func decidingAnewCountsNoAttempt() throws {
        let id = try fixture.submit().id
        let decision = try fixture.reclassify(id, .again(after: .minutes(5)))
        #expect(decision.delay >= .minutes(5))
        #expect(try fixture.record(id).attempts == 1)
        #expect(try fixture.record(id).rule == 6)
        #expect(fixture.state(id) == .scheduled)
    }

    @Test
    mutating func decidingAnewCountsNoRepeat() throws {
        let once = Verdict(disposition: .retry, rule: 8, repeatMax: 1)
        let id = try fixture.submit(Fixture.Order(verdict: once)).id
        for _ in 0..<3 { try fixture.reclassify(id, once) }
        #expect(fixture.state(id) == .scheduled)
        #expect(try fixture.record(id).ruleRepeats == 1)
    }

    @Test
    mutating func newRulesReviveWhatTheOldOnesGaveUp() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .never)).id
        fixture.pass(.days(7))
        try fixture.reclassify(id, .again)
        #expect(fixture.changes == [.revived, .scheduled])
        #expect(try fixture.record(id).attempts == 1)
        try fixture.reclassify(id, .never)
        #expect(fixture.changes == [.gaveUp(.permanent)])
    }

    @Test
    mutating func anOldRefusalHoldsNoCredential() throws {
        let order = Fixture.Order(credential: "oauth:alice", verdict: .signIn)
        let id = try fixture.submit(order).id
        #expect(!fixture.core.isOn(.ownCredential()))
        fixture.set(.ownCredential(), true)
        try fixture.reclassify(id, .signIn)
        #expect(fixture.core.isOn(.ownCredential()))
        #expect(fixture.state(id) == .ready)
    }
}
