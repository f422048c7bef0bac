import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerSubmitTests {
    private var fixture = Fixture()

    @Test
    mutating func theToldFailureIsTheFirstAttempt() throws {
        let (id, decision) = try fixture.submit(
            Fixture.Order(keyHash: 5, priority: 7, isIdempotent: true, retriesUnknown: true))
        let record = try fixture.record(id)
        #expect(decision.due == fixture.now.instant + .seconds(2))
        #expect(record.attempts == 1)
        #expect(record.firstFailure == fixture.now.wall)
        #expect(record.since == fixture.now.wall)
        #expect(record.keyHash == 5)
        #expect(record.priority == 7)
        #expect(record.isIdempotent == true)
        #expect(record.retriesUnknown)
        #expect(record.rule == 1)
        #expect(record.previousDelayMs == 2_000)
        #expect(record.token.rawValue == 0)
        #expect(!record.isTokenOpen)
    }

    @Test
    mutating func whatIsStoredIsOrdered() throws {
        let (id, _) = try fixture.submit(
            Fixture.Order(credential: "oauth:alice", eventHash: 77))
        let kinds = fixture.effects.all.map { effect in
            switch effect {
            case .save: "save"
            case .remove: "remove"
            case .saveLane: "lane"
            case .removeLane, .removeSignal, .savePause, .removePause, .saveDestination,
                .removeDestination, .breakerChanged, .herdReleased:
                "unexpected"
            case .saveSignal: "signal"
            case .savePolicyName: "policy"
            case .saveEvent: "event"
            case .removeEvent: "removeEvent"
            case .reserveIDs: "ids"
            case .changed: "changed"
            case .credentialRefused: "refused"
            case .becameReady: "ready"
            }
        }
        // Signals before the lane that means them, both before the operation that is in it.
        #expect(
            kinds == [
                "ids", "signal", "signal", "lane", "changed", "event", "changed", "save",
            ])
        #expect(fixture.changes == [.accepted, .scheduled])
        #expect(fixture.saved == [try fixture.record(id)])
    }

    @Test
    mutating func lanesAndSignalsAreStoredOnce() throws {
        try fixture.submit()
        try fixture.submit()
        #expect(fixture.effects.all.count == 3)
        #expect(fixture.changes == [.accepted, .scheduled])
    }

    @Test
    mutating func idsRiseAndAreReservedInBlocks() throws {
        fixture.checksEveryAct = false
        var reserved: [OperationID] = []
        for number in 1...4_097 as ClosedRange<Int64> {
            #expect(try fixture.submit().id == OperationID(rawValue: number))
            for case .reserveIDs(let through) in fixture.effects.all { reserved.append(through) }
        }
        #expect(reserved.map(\.rawValue) == [4_096, 8_192])
    }

    @Test(arguments: [
        (Verdict.again, OperationState.scheduled, Cause.none), (.foreground, .held, .none),
        (.never, .dead, .permanent), (.newFlow, .parked, .newFlow),
        (.signIn, .parked, .reauthenticate), (.unknown, .dead, .permanent),
    ])
    mutating func theVerdictSaysWhere(
        verdict: Verdict, state: OperationState, cause: Cause
    ) throws {
        let id = try fixture.submit(Fixture.Order(verdict: verdict)).id
        #expect(fixture.state(id) == state)
        #expect(try fixture.record(id).cause == cause)
    }

    // MARK: Quotas

    @Test
    mutating func aUserMayHoldSoManyLiveOperations() throws {
        var limits = SchedulerLimits()
        limits.operationsPerUserMax = 2
        fixture = Fixture(limits: limits)
        let first = try fixture.submit().id
        try fixture.submit()
        #expect(throws: Refusal.quotaExceeded("operations-per-user")) {
            try fixture.submit()
        }
        #expect(fixture.effects.all.isEmpty)
        // Another user has room, root is not limited, and what ended makes room.
        try fixture.submit(Fixture.Order(owner: 2_000))
        for _ in 0..<4 { try fixture.submit(Fixture.Order(owner: 0)) }
        try fixture.cancel(first)
        try fixture.submit()
        #expect(fixture.core.limit(for: 0, bytes: 0, of: 1_000) == nil)
        #expect(fixture.core.limit(for: 1, bytes: 0, of: 1_000) != nil)
        #expect(fixture.core.limit(for: 1, bytes: 0, of: 2_000) == nil)
        #expect(fixture.core.limit(for: 99, bytes: 0, of: 0) == nil)
    }

    @Test
    mutating func aUserMayKeepSoManyBytes() throws {
        var limits = SchedulerLimits()
        limits.bytesPerUserMax = 4_096
        fixture = Fixture(limits: limits)
        let first = try fixture.submit(Fixture.Order(bytes: 2_048, verdict: .never)).id
        let second = try fixture.submit(Fixture.Order(bytes: 2_000)).id
        // Twice 2048: what is given up counts as long as it is kept.
        #expect(throws: Refusal.quotaExceeded("bytes-per-user")) {
            try fixture.submit(Fixture.Order(bytes: 1))
        }
        #expect(fixture.core.limit(for: 1, bytes: 1, of: 1_000) == "bytes-per-user")
        #expect(fixture.core.limit(for: 1, bytes: 4_096, of: 2_000) == nil)
        try fixture.submit(Fixture.Order(owner: 2_000, bytes: 4_096))
        try fixture.submit(Fixture.Order(owner: 0, bytes: 1 << 20))
        // Known again after a restart.
        #expect(try fixture.record(second).size == StoredSize(bytes: 2_000))
        try fixture.cancel(first)
        fixture.pass(.days(2))
        try fixture.submit(Fixture.Order(bytes: 2_048))
    }

    @Test
    mutating func deadOperationsTakeNoRoom() throws {
        var limits = SchedulerLimits()
        limits.operationsPerUserMax = 1
        fixture = Fixture(limits: limits)
        for _ in 0..<3 { try fixture.submit(Fixture.Order(verdict: .never)) }
        try fixture.submit()
        #expect(throws: Refusal.quotaExceeded("operations-per-user")) {
            try fixture.submit(Fixture.Order(verdict: .never))
        }
    }

    @Test
    mutating func allTogetherMayHoldSoMany() throws {
        var limits = SchedulerLimits()
        limits.operationsMax = 2
        fixture = Fixture(limits: limits)
        try fixture.submit()
        try fixture.submit(Fixture.Order(owner: 2_000))
        #expect(throws: Refusal.quotaExceeded("operations")) {
            try fixture.submit(Fixture.Order(owner: 0))
        }
        #expect(fixture.core.limit(for: 1, bytes: 0, of: 0) != nil)
    }

    // MARK: Keys

    @Test
    mutating func aKeyFindsItsOperation() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 9)).id
        #expect(fixture.core.operations(withKeyHash: 9) == [id])
        #expect(fixture.core.operations(withKeyHash: 8) == [])
        try fixture.submit()
        #expect(fixture.core.operations(withKeyHash: 0) == [])
    }

    @Test
    mutating func hashesThatCollideFindBoth() throws {
        let first = try fixture.submit(Fixture.Order(keyHash: 9)).id
        let second = try fixture.submit(Fixture.Order(keyHash: 9)).id
        #expect(fixture.core.operations(withKeyHash: 9).sorted() == [first, second])
        try fixture.cancel(first)
        #expect(fixture.core.operations(withKeyHash: 9) == [second])
    }

    @Test
    mutating func aDeadOperationKeepsItsKeyAndAnEndedOneFreesIt() throws {
        let dead = try fixture.submit(Fixture.Order(keyHash: 9, verdict: .never)).id
        #expect(fixture.core.operations(withKeyHash: 9) == [dead])
        try fixture.cancel(dead)
        #expect(fixture.core.operations(withKeyHash: 9) == [])
        #expect(try fixture.record(dead).keyHash == 0)
    }

    @Test
    mutating func keepRevivesADeadOneWithFreshLimits() throws {
        var policy = Fixture.exact
        policy.attemptsMax = 2
        fixture = Fixture(policies: [policy])
        let id = try fixture.submit(Fixture.Order(keyHash: 9)).id
        fixture.pass(.seconds(2))
        try fixture.report(fixture.lease()[0], .again)
        #expect(fixture.state(id) == .dead)
        fixture.pass(.hours(1))
        let outcome = fixture.submitAgain(
            id, .keep, Fixture.Order(keyHash: 9, priority: 3, isIdempotent: false))
        guard case .revived(let decision) = outcome else {
            Issue.record("not revived")
            return
        }
        #expect(decision.due == fixture.now.instant + .seconds(2))
        #expect(fixture.changes == [.revived, .scheduled])
        let record = try fixture.record(id)
        #expect(record.attempts == 1)
        #expect(record.firstFailure == fixture.now.wall)
        #expect(record.priority == 3)
        #expect(record.isIdempotent == false)
        #expect(record.cause == .none)
        #expect(fixture.core.operations(withKeyHash: 9) == [id])
    }

    @Test
    mutating func replaceFencesARunningAttempt() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 9)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        let order = Fixture.Order(destination: "elsewhere", keyHash: 9, eventHash: 4)
        guard case .replaced = fixture.submitAgain(id, .replace, order) else {
            Issue.record("not replaced")
            return
        }
        #expect(fixture.state(id) == .scheduled)
        #expect(fixture.changes == [.replaced, .scheduled])
        #expect(fixture.core.lane(try fixture.record(id).lane).destination == "elsewhere")
        #expect(fixture.core.operation(ofEvent: 4) == id)
        #expect(throws: Refusal.staleLease(.scheduled)) { try fixture.report(grant, nil) }
        #expect(throws: Refusal.staleLease(.scheduled)) { _ = try fixture.extend(grant) }
        // The next attempt has a token of its own.
        fixture.pass(.seconds(2))
        let next = fixture.lease()[0]
        #expect(next.record.token != grant.record.token)
        try fixture.report(next, nil)
        #expect(fixture.state(id) == .succeeded)
    }

    /// A worker that is not the owner learns of it too.
    @Test
    mutating func aForeignWorkerIsToldThatItIsFenced() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 9)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease(by: Fixture.foreignWorker)[0]
        _ = fixture.submitAgain(id, .replace, Fixture.Order(keyHash: 9))
        #expect(throws: Refusal.staleLease(.scheduled)) {
            _ = try fixture.extend(grant, by: Fixture.foreignCaller)
        }
    }

    @Test
    mutating func replaceAlsoFencesALostAttempt() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 9)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        fixture.pass(.minutes(1))
        #expect(fixture.state(id) == .ready)
        _ = fixture.submitAgain(id, .replace, Fixture.Order(keyHash: 9))
        #expect(throws: Refusal.staleLease(.scheduled)) { try fixture.report(grant, nil) }
    }

    @Test
    mutating func coalesceTakesTheHigherPriority() throws {
        let low = try fixture.submit(Fixture.Order(keyHash: 9, priority: 1)).id
        let other = try fixture.submit(Fixture.Order(priority: 2)).id
        fixture.pass(.seconds(2))
        _ = fixture.submitAgain(low, .coalesce, Fixture.Order(keyHash: 9, priority: 0))
        #expect(fixture.effects.all.isEmpty)
        _ = fixture.submitAgain(low, .coalesce, Fixture.Order(keyHash: 9, priority: 3))
        #expect(fixture.saved.map(\.priority) == [3])
        #expect(fixture.lease(2).map(\.record.id) == [low, other])
    }

    @Test
    mutating func coalesceRaisesALeasedOneToo() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 9)).id
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        _ = fixture.submitAgain(id, .coalesce, Fixture.Order(keyHash: 9, priority: 9))
        #expect(try fixture.record(id).priority == 9)
        try fixture.report(grant, .again)
        #expect(try fixture.record(id).priority == 9)
    }

    @Test
    mutating func anExistingOneForgetsNothingForKeep() throws {
        let id = try fixture.submit(Fixture.Order(keyHash: 9, eventHash: 1)).id
        let before = try fixture.record(id)
        guard
            case .existing = fixture.submitAgain(
                id, .keep, Fixture.Order(keyHash: 9, eventHash: 2, verdict: .never))
        else {
            Issue.record("not existing")
            return
        }
        #expect(try fixture.record(id) == before)
        #expect(fixture.effects.all.isEmpty)
        // Its failure was not decided, so its event is none of ours.
        #expect(fixture.core.operation(ofEvent: 2) == nil)
    }
}
