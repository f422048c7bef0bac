import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerDecideTests {
    private var fixture = Fixture()

    /// Runs the next attempt as soon as there is one and reports it failed.
    @discardableResult
    private mutating func attempt(_ verdict: Verdict) throws -> Decision? {
        fixture.pass(.hours(1))
        let grant = try #require(fixture.lease().first)
        return try fixture.report(grant, verdict)
    }

    // MARK: Limits

    @Test
    mutating func attemptsAreExhausted() throws {
        var policy = Fixture.exact
        policy.attemptsMax = 3
        fixture = Fixture(policies: [policy])
        let id = try fixture.submit().id
        try attempt(.again)
        #expect(fixture.state(id) == .scheduled)
        try attempt(.again)
        #expect(fixture.state(id) == .dead)
        let record = try fixture.record(id)
        #expect(record.cause == .attemptsExhausted)
        #expect(record.attempts == 3)
        #expect(record.due == fixture.now.instant + .days(30))
        #expect(fixture.changes == [.attemptFailed, .gaveUp(.attemptsExhausted)])
    }

    @Test
    mutating func nothingDiesUntried() throws {
        let deadline = fixture.now.wall + .minutes(1)
        let id = try fixture.submit(Fixture.Order(deadline: deadline)).id
        // Nobody asks for it for a year: it is still there to be tried.
        fixture.pass(.days(365))
        #expect(fixture.state(id) == .ready)
        try attempt(.again)
        #expect(fixture.state(id) == .dead)
        #expect(try fixture.record(id).cause == .tooOld)
    }

    @Test
    mutating func aDeadlineEndsIt() throws {
        let deadline = fixture.now.wall + .minutes(90)
        let id = try fixture.submit(Fixture.Order(deadline: deadline)).id
        try attempt(.again)
        #expect(fixture.state(id) == .scheduled)
        try attempt(.again)
        #expect(try fixture.record(id).cause == .deadline)
        #expect(try fixture.record(id).deadline == deadline)
    }

    @Test
    mutating func theReplacedDeadlineIsForgotten() throws {
        let deadline = fixture.now.wall + .minutes(1)
        let id = try fixture.submit(Fixture.Order(keyHash: 1, deadline: deadline)).id
        _ = fixture.submitAgain(id, .replace, Fixture.Order(keyHash: 1))
        #expect(try fixture.record(id).deadline == nil)
        try attempt(.again)
        #expect(fixture.state(id) == .scheduled)
    }

    // MARK: Repeats

    @Test
    mutating func aRuleThatMaySpeakOnceFallsBack() throws {
        let nonce = Verdict(
            disposition: .retry, rule: 8, repeatMax: 1,
            repeatFallback: Verdict.Fallback(disposition: .permanent, action: .introspectCause))
        let id = try fixture.submit(Fixture.Order(verdict: nonce)).id
        #expect(fixture.state(id) == .scheduled)
        try attempt(.again)
        // Another rule spoke between: it may again.
        try attempt(nonce)
        #expect(fixture.state(id) == .scheduled)
        let decision = try attempt(nonce)
        #expect(decision?.action == .introspectCause)
        #expect(fixture.state(id) == .dead)
    }

    @Test
    mutating func unknownFailuresInARowAreNoRepeatOfARule() throws {
        let id = try fixture.submit(
            Fixture.Order(retriesUnknown: true, verdict: .unknown)
        ).id
        for _ in 0..<3 { try attempt(.unknown) }
        #expect(fixture.state(id) == .scheduled)
        #expect(try fixture.record(id).ruleRepeats == 1)
        #expect(try fixture.record(id).rule == 0)
    }

    // MARK: Foreground

    @Test
    mutating func threeFailuresInTheForegroundPark() throws {
        fixture.set(.ownForeground, true)
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        try attempt(.foreground)
        #expect(fixture.state(id) == .scheduled)
        #expect(try fixture.record(id).foregroundRepeats == 2)
        try attempt(.foreground)
        #expect(fixture.state(id) == .parked)
        #expect(try fixture.record(id).cause == .foregroundLoop)
        // Freed by hand, it may fail three times more.
        try fixture.retry(id)
        try attempt(.foreground)
        try attempt(.foreground)
        #expect(fixture.state(id) == .scheduled)
        try attempt(.foreground)
        #expect(fixture.state(id) == .parked)
    }

    @Test
    mutating func failuresInTheBackgroundAreNoLoop() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        for _ in 0..<5 {
            // It comes, and goes before the attempt begins: the retry by hand does not wait.
            fixture.set(.ownForeground, false)
            try fixture.retry(id)
            try attempt(.foreground)
        }
        #expect(fixture.state(id) == .held)
        #expect(try fixture.record(id).foregroundRepeats == 0)
    }

    @Test
    mutating func whatCountsIsTheForegroundWhenTheAttemptBegan() throws {
        fixture.set(.ownForeground, true)
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        fixture.set(.ownForeground, false)
        try fixture.report(grant, .foreground)
        #expect(try fixture.record(id).foregroundRepeats == 2)
        // Late, after the lease was lost, it is known as well.
        fixture.set(.ownForeground, true)
        fixture.pass(.hours(1))
        let late = fixture.lease()[0]
        fixture.set(.ownForeground, false)
        fixture.pass(.hours(1))
        try fixture.report(late, .foreground)
        #expect(fixture.state(id) == .parked)
    }

    @Test
    mutating func anotherFailureBetweenStartsTheCountAnew() throws {
        fixture.set(.ownForeground, true)
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        try attempt(.foreground)
        try attempt(.again)
        #expect(try fixture.record(id).foregroundRepeats == 0)
        try attempt(.foreground)
        #expect(fixture.state(id) == .scheduled)
    }

    // MARK: Kept ones

    @Test
    mutating func parkedOnesMoveOnAfterMaxPark() throws {
        var policy = Fixture.exact
        policy.parkMax = .days(2)
        fixture = Fixture(policies: [policy])
        let id = try fixture.submit(Fixture.Order(verdict: .newFlow)).id
        #expect(try fixture.wait(id) == .days(2))
        #expect(fixture.changes == [.accepted, .parked(.newFlow)])
    }

    @Test
    mutating func theDelayDrawnIsKeptForTheNextOne() throws {
        var policy = Fixture.exact
        policy.jitter = .decorrelated
        fixture = Fixture(policies: [policy])
        let id = try fixture.submit().id
        #expect(try fixture.wait(id).usec == 4_966_260)
        #expect(try fixture.record(id).previousDelayMs == 4_967)
        try attempt(.again)
        let wait = try fixture.wait(id)
        #expect(wait >= .seconds(2) && wait.usec <= 3 * 4_967_000)
    }

    @Test
    mutating func theLongestDelaysSaturate() throws {
        var policy = Fixture.exact
        policy.initial = Span(usec: .max)
        policy.max = Span(usec: .max)
        policy.ageMax = Span(usec: .max)
        fixture = Fixture(policies: [policy])
        let id = try fixture.submit().id
        #expect(try fixture.record(id).due == .never)
        #expect(try fixture.record(id).previousDelayMs == .max)
        #expect(fixture.core.nextDue == nil)
        try fixture.retry(id)
        #expect(fixture.state(id) == .ready)
    }
}
