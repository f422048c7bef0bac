import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerLeaseTests {
    private var fixture = Fixture()

    /// An operation that may run.
    private mutating func ready(_ order: Fixture.Order = Fixture.Order()) throws -> OperationID {
        let id = try fixture.submit(order).id
        fixture.pass(.seconds(2))
        return id
    }

    // MARK: Grants

    @Test
    mutating func aGrantIsStoredWithItsRecoveryCounted() throws {
        let id = try ready()
        let grant = fixture.lease()[0]
        #expect(grant.record.id == id)
        #expect(grant.attempt == 2)
        #expect(grant.record.state == .leased)
        #expect(grant.record.token.rawValue == 1)
        #expect(grant.record.isTokenOpen)
        #expect(grant.record.recoveries == 1)
        #expect(grant.record.due == fixture.now.instant + .seconds(60))
        #expect(
            grant.record.lease
                == LeaseRecord(
                    holder: Fixture.worker, visibility: .seconds(60), startedAt: fixture.now.wall,
                    credentialGeneration: 0, hadForeground: false))
        #expect(fixture.saved == [grant.record])
        #expect(fixture.changes == [.leased])
        // Waiting has spent no attempt.
        #expect(grant.record.attempts == 1)
    }

    @Test
    mutating func aLeaseKnowsForegroundAndGenerationOfItsBeginning() throws {
        _ = try ready(Fixture.Order(credential: "oauth:alice"))
        fixture.set(.ownCredential(), true)
        fixture.set(.ownCredential(), true)
        fixture.set(.ownForeground, true)
        let lease = try #require(fixture.lease()[0].record.lease)
        #expect(lease.hadForeground)
        #expect(lease.credentialGeneration == 2)
    }

    @Test
    mutating func grantsNoMoreThanAskedForAndNoneTwice() throws {
        for _ in 0..<5 { try fixture.submit() }
        fixture.pass(.seconds(2))
        let first = fixture.lease(3).map(\.record.id)
        let second = fixture.lease(3).map(\.record.id)
        #expect(first.count == 3)
        #expect(second.count == 2)
        #expect(Set(first + second).count == 5)
        #expect(fixture.lease(3).isEmpty)
        #expect(fixture.lease(1, queue: "nobody.asked").isEmpty)
        #expect(fixture.lease(0).isEmpty)
    }

    @Test
    mutating func theWorkerOrThePolicySaysHowLongALeaseStands() throws {
        var slow = Fixture.exact
        slow.name = "slow"
        slow.visibility = .minutes(10)
        fixture = Fixture(policies: [Fixture.exact, slow])
        _ = try ready(Fixture.Order(policy: "slow"))
        _ = try ready(Fixture.Order(policy: "slow"))
        #expect(fixture.lease()[0].record.due == fixture.now.instant + .minutes(10))
        let own = fixture.lease(visibility: .seconds(5))[0]
        #expect(own.record.due == fixture.now.instant + .seconds(5))
        #expect(own.record.lease?.visibility == .seconds(5))
    }

    @Test
    mutating func aWorkerGetsOnlyWhatItMayRun() throws {
        _ = try ready()
        let other = try ready(Fixture.Order(owner: 2_000))
        let grants = fixture.lease(5, mayRun: { $0 == 2_000 })
        #expect(grants.map(\.record.id) == [other])
    }

    @Test
    mutating func ownersTakeTurns() throws {
        for _ in 0..<4 { try fixture.submit(Fixture.Order(priority: 100)) }
        for _ in 0..<2 { try fixture.submit(Fixture.Order(owner: 2_000, priority: -100)) }
        fixture.pass(.seconds(2))
        let owners = fixture.lease(6).map { fixture.core.lane($0.record.lane).owner }
        #expect(owners == [1_000, 2_000, 1_000, 2_000, 1_000, 1_000])
    }

    @Test
    mutating func higherPriorityRunsFirstThenEarlierDue() throws {
        let late = try fixture.submit(Fixture.Order(priority: 5)).id
        fixture.pass(.seconds(1))
        let later = try fixture.submit(Fixture.Order(priority: 5)).id
        let low = try fixture.submit(Fixture.Order(priority: -5)).id
        let high = try fixture.submit(Fixture.Order(priority: 100)).id
        fixture.pass(.seconds(10))
        #expect(fixture.lease(4).map(\.record.id) == [high, late, later, low])
    }

    // MARK: Loss

    @Test
    mutating func aLeaseRunsOutAndTheOperationIsReadyAgain() throws {
        let id = try ready()
        _ = fixture.lease()
        fixture.pass(Span(usec: Span.seconds(60).usec - 1))
        #expect(fixture.state(id) == .leased)
        fixture.pass(Span(usec: 1))
        #expect(fixture.state(id) == .ready)
        #expect(fixture.changes == [.leaseLost, .ready])
        let record = try fixture.record(id)
        #expect(record.recoveries == 1)
        #expect(record.attempts == 1)
        #expect(record.isTokenOpen)
        #expect(record.lease?.holder == Fixture.worker)
        #expect(fixture.saved == [record])
    }

    @Test
    mutating func theFifthLossParks() throws {
        let id = try ready()
        for loss in 1...5 as ClosedRange<UInt8> {
            _ = fixture.lease()
            #expect(fixture.holderDied(Fixture.worker) == 1)
            #expect(try fixture.record(id).recoveries == loss)
            #expect(fixture.state(id) == (loss < 5 ? .ready : .parked))
        }
        #expect(try fixture.record(id).cause == .recoveries)
        // Retried by hand it has as many again.
        try fixture.retry(id)
        #expect(try fixture.record(id).recoveries == 0)
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func aReportedAttemptIsNoRecovery() throws {
        let id = try ready()
        for _ in 0..<8 {
            try fixture.report(fixture.lease()[0], .again)
            #expect(try fixture.record(id).recoveries == 0)
            fixture.pass(.hours(1))
        }
    }

    @Test
    mutating func whatIsNotIdempotentIsParkedWithItsOutcomeUnknown() throws {
        let id = try ready(Fixture.Order(isIdempotent: false))
        _ = fixture.lease()
        #expect(fixture.holderDied(Fixture.worker) == 1)
        #expect(fixture.state(id) == .parked)
        #expect(try fixture.record(id).cause == .outcomeUnknown)
        // Not known to be idempotent is not the same.
        let unknown = try ready()
        _ = fixture.lease()
        _ = fixture.holderDied(Fixture.worker)
        #expect(fixture.state(unknown) == .ready)
    }

    @Test
    mutating func aDeathLosesAllTheLeasesOfThatProcessAlone() throws {
        for _ in 0..<5 { _ = try ready() }
        let mine = fixture.lease(3).map(\.record.id)
        let others = fixture.lease(2, by: Fixture.otherWorker).map(\.record.id)
        #expect(fixture.core.holders == [Fixture.worker, Fixture.otherWorker])
        #expect(fixture.holderDied(Fixture.worker) == 3)
        #expect(mine.map { fixture.state($0) } == [.ready, .ready, .ready])
        #expect(others.map { fixture.state($0) } == [.leased, .leased])
        #expect(fixture.core.holders == [Fixture.otherWorker])
        #expect(fixture.holderDied(Fixture.worker) == 0)
        // Another process with the same number is another process.
        var reborn = Fixture.otherWorker
        reborn.startTicks += 1
        #expect(fixture.holderDied(reborn) == 0)
    }

    @Test
    mutating func aLostOneIsHeldWhereItsLevelFell() throws {
        fixture.set(.ownForeground, true)
        let id = try ready(Fixture.Order(verdict: .foreground))
        _ = fixture.lease()
        fixture.set(.ownForeground, false)
        #expect(fixture.state(id) == .leased)
        _ = fixture.holderDied(Fixture.worker)
        #expect(fixture.state(id) == .held)
    }

    // MARK: Grace

    @Test
    mutating func aClosedConnectionStartsAGrace() throws {
        let id = try ready()
        _ = fixture.lease()
        fixture.core.holderDisconnected(Fixture.worker, now: fixture.now)
        fixture.core.checkInvariants()
        fixture.pass(Span(usec: Span.seconds(10).usec - 1))
        #expect(fixture.state(id) == .leased)
        fixture.pass(Span(usec: 1))
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func aGraceLengthensNoLease() throws {
        _ = try ready()
        let grant = fixture.lease(visibility: .seconds(3))[0]
        fixture.core.holderDisconnected(Fixture.worker, now: fixture.now)
        #expect(try fixture.record(grant.record.id).due == fixture.now.instant + .seconds(3))
        fixture.core.holderDisconnected(Fixture.otherWorker, now: fixture.now)
    }

    @Test
    mutating func aWorkerThatComesBackGoesOn() throws {
        for _ in 0..<3 { _ = try ready() }
        let grants = fixture.lease(3)
        fixture.core.holderDisconnected(Fixture.worker, now: fixture.now)
        fixture.pass(.seconds(9))
        #expect(try fixture.extend(grants[1]) == fixture.now.instant + .seconds(60))
        fixture.pass(.seconds(20))
        #expect(
            grants.map { fixture.state($0.record.id) } == [.ready, .leased, .ready])
        try fixture.report(grants[1], nil)
        #expect(fixture.state(grants[1].record.id) == .succeeded)
    }

    // MARK: Extend

    @Test
    mutating func extendingMovesTheEndAndStoresNothing() throws {
        let id = try ready()
        let grant = fixture.lease()[0]
        for _ in 0..<5 {
            fixture.pass(.seconds(50))
            #expect(try fixture.extend(grant) == fixture.now.instant + .seconds(60))
            #expect(fixture.effects.all.isEmpty)
        }
        #expect(fixture.state(id) == .leased)
        #expect(try fixture.record(id).recoveries == 1)
    }

    @Test
    mutating func anotherVisibilityIsKeptAndStored() throws {
        _ = try ready()
        let grant = fixture.lease()[0]
        #expect(
            try fixture.extend(grant, visibility: .minutes(5))
                == fixture.now.instant + .minutes(5))
        #expect(fixture.saved.map(\.lease?.visibility) == [.minutes(5)])
        #expect(try fixture.extend(grant) == fixture.now.instant + .minutes(5))
        #expect(fixture.effects.all.isEmpty)
    }

    @Test
    mutating func aLeaseCanBeHandedToAnotherProcess() throws {
        let id = try ready()
        let grant = fixture.lease()[0]
        _ = try fixture.extend(grant, holder: Fixture.otherWorker)
        #expect(fixture.saved.map(\.lease?.holder) == [Fixture.otherWorker])
        #expect(fixture.holderDied(Fixture.worker) == 0)
        #expect(fixture.state(id) == .leased)
        #expect(fixture.holderDied(Fixture.otherWorker) == 1)
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func aLostLeaseIsTakenUpAgain() throws {
        let id = try ready()
        let grant = fixture.lease()[0]
        fixture.pass(.minutes(2))
        #expect(fixture.state(id) == .ready)
        #expect(try fixture.extend(grant) == fixture.now.instant + .seconds(60))
        #expect(fixture.state(id) == .leased)
        #expect(fixture.changes == [.leased])
        #expect(fixture.saved.count == 1)
        #expect(fixture.core.holders == [Fixture.worker])
        // Taken up is not lost: nothing was recovered in the end.
        try fixture.report(grant, .again)
        #expect(try fixture.record(id).recoveries == 0)
        #expect(try fixture.record(id).attempts == 2)
    }

    @Test
    mutating func alsoOneThatIsParkedForItsLoss() throws {
        let id = try ready(Fixture.Order(isIdempotent: false))
        let grant = fixture.lease()[0]
        fixture.pass(.minutes(2))
        #expect(fixture.state(id) == .parked)
        _ = try fixture.extend(grant)
        #expect(fixture.state(id) == .leased)
        #expect(try fixture.record(id).cause == .none)
        try fixture.report(grant, nil)
        #expect(fixture.state(id) == .succeeded)
    }

    @Test
    mutating func notWhenAnotherWorkerHasIt() throws {
        let id = try ready()
        let first = fixture.lease()[0]
        fixture.pass(.minutes(2))
        let second = fixture.lease(by: Fixture.otherWorker)[0]
        #expect(second.record.token.rawValue == 2)
        #expect(throws: Refusal.staleLease(.leased)) { _ = try fixture.extend(first) }
        #expect(throws: Refusal.staleLease(.leased)) { try fixture.report(first, nil) }
        #expect(throws: Refusal.staleLease(.leased)) { try fixture.release(first) }
        #expect(fixture.core.holders == [Fixture.otherWorker])
        try fixture.report(second, nil)
        #expect(fixture.state(id) == .succeeded)
    }

    @Test
    mutating func whatHasEndedIsNotTakenUp() throws {
        let id = try ready()
        let grant = fixture.lease()[0]
        try fixture.cancel(id)
        #expect(throws: Refusal.staleLease(.cancelled)) { _ = try fixture.extend(grant) }
        #expect(fixture.core.holders == [])
    }

    // MARK: Rights

    @Test
    mutating func onlyTheWorkerTheOwnerAndAdminsExtend() throws {
        let id = try ready()
        let grant = fixture.lease(by: Fixture.foreignWorker)[0]
        #expect(throws: Refusal.noSuchOperation(id)) {
            _ = try fixture.extend(grant, by: Fixture.stranger)
        }
        for caller in [Fixture.foreignCaller, Fixture.owner, Fixture.admin] {
            _ = try fixture.extend(grant, by: caller)
        }
        // Also after the loss.
        fixture.pass(.minutes(2))
        _ = try fixture.extend(grant, by: Fixture.foreignCaller)
        #expect(fixture.state(id) == .leased)
    }

    @Test
    mutating func whoMayReportIsToldBeforehand() throws {
        let id = try ready()
        func may(_ caller: Caller) -> Bool { fixture.core.mayReport(on: id, caller) }
        #expect(may(Fixture.owner) && may(Fixture.admin))
        #expect(!may(Fixture.foreignCaller))
        let grant = fixture.lease(by: Fixture.foreignWorker)[0]
        #expect(may(Fixture.foreignCaller) && !may(Fixture.stranger))
        // Lost, it may still report; reported, it is nobody's any more.
        fixture.pass(.minutes(2))
        #expect(may(Fixture.foreignCaller))
        try fixture.report(grant, nil, by: Fixture.foreignCaller)
        #expect(!may(Fixture.foreignCaller))
        #expect(!fixture.core.mayReport(on: OperationID(rawValue: 99), Fixture.admin))
    }

    @Test
    mutating func theGraceIsTheConfiguredOne() throws {
        var limits = SchedulerLimits()
        limits.reconnectGrace = .seconds(2)
        fixture = Fixture(limits: limits)
        let id = try ready()
        _ = fixture.lease()
        fixture.core.holderDisconnected(Fixture.worker, now: fixture.now)
        #expect(try fixture.record(id).due == fixture.now.instant + .seconds(2))
    }

    @Test
    mutating func queuesAreKnownByNumberOnceUsed() throws {
        #expect(fixture.core.queueIndex(named: "mail.send") == nil)
        _ = try ready()
        let queue = try #require(fixture.core.queueIndex(named: "mail.send"))
        #expect(fixture.core.queueName(queue) == "mail.send")
        #expect(fixture.core.readyCount(queue) == 1)
        #expect(fixture.effects.all.contains(.becameReady(queue)))
    }
}
