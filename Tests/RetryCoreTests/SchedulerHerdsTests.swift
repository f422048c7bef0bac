import RetryModel
import Testing

@testable import RetryCore

/// What becomes runnable together is released by and by, in order.
@Suite
struct SchedulerHerdsTests {
    private var fixture = Fixture()

    /// Operations that wait for a signal, their back-off over.
    private mutating func held(_ count: Int, owner: UserID = 1_000) throws -> [OperationID] {
        fixture.checksEveryAct = false
        let order = Fixture.Order(
            owner: owner, verdict: Verdict(disposition: .retry, condition: .custom("vpn"), rule: 0))
        var ids: [OperationID] = []
        for number in 0..<count {
            var order = order
            order.priority = Int8(number % 3)
            ids.append(try fixture.submit(order).id)
        }
        fixture.pass(.seconds(3))
        return ids
    }

    private var vpn: SignalName { .custom(name: "vpn", owner: 1_000) }

    /// How many became ready by the last act.
    private var released: Int { fixture.changes.filter { $0 == .ready }.count }

    /// So many come due while nobody is there.
    private mutating func beLate(_ count: Int) throws {
        for _ in 0..<count { try fixture.submit() }
        fixture.now.instant = fixture.now.instant + .seconds(60)
        fixture.now.wall = fixture.now.wall + .seconds(60)
    }

    /// Lets time pass in windows until nothing waits for the ramp.
    private mutating func drain() -> [Int] {
        var counts: [Int] = []
        while fixture.core.ready.releasableCount > 0 {
            fixture.pass(.milliseconds(100))
            counts.append(released)
        }
        return counts
    }

    @Test
    mutating func aSignalReleasesNoMoreThanTheRampInAWindow() throws {
        _ = try held(1_000)
        #expect(fixture.core.counts[.held] == 1_000)
        let freed = fixture.set(vpn, true)
        #expect(freed == 1_000)
        #expect(released == 100)
        #expect(fixture.core.counts[.ready] == 100)
        #expect(fixture.core.counts[.scheduled] == 900)
        let drained = drain()
        #expect(drained == [125, 156, 195, 243, 181])
        #expect(
            fixture.reports
                == [
                    ReleaseReport(
                        trigger: .signal, count: 1_000, over: .milliseconds(500), peak: 243)
                ])
        fixture.core.checkInvariants()
    }

    @Test
    mutating func theHighestPriorityGoesFirst() throws {
        let ids = try held(900)
        _ = fixture.set(vpn, true)
        _ = fixture.set(vpn, true)
        let ready = ids.filter { fixture.state($0) == .ready }
        #expect(ready.count == 100)
        #expect(try ready.allSatisfy { try fixture.record($0).priority == 2 })
        // The others say what they wait for.
        let waiting = try #require(ids.first { fixture.state($0) == .scheduled })
        let next = fixture.now.instant + .milliseconds(100)
        #expect(fixture.reasons(waiting) == [.budgetEmpty(destination: nil, until: next)])
    }

    @Test
    mutating func aLevelIsToldToSoManyInATurn() throws {
        let ids = try held(10_000)
        let freed = fixture.set(vpn, true)
        #expect(freed == 10_000)
        // The rest is held and says what for: nobody has told it yet.
        #expect(fixture.core.counts[.held] == 10_000 - Limits.settledPerTurnMax)
        #expect(released == 0)
        let last = try #require(ids.last)
        #expect(fixture.state(last) == .held)
        #expect(fixture.reasons(last)[0].code.description == "budget-empty")
        var turns = 1
        while fixture.core.signals.unsettledAt != nil {
            fixture.core.timePassed(now: fixture.now, into: &fixture.effects)
            turns += 1
        }
        #expect(turns == 5)
        #expect(fixture.core.counts[.held] == 0)
        #expect(fixture.core.counts[.ready] == 100)
        fixture.core.checkInvariants()
    }

    @Test
    mutating func aLevelThatFallsKeepsBackWhatWasNotToldYet() throws {
        _ = try held(5_000)
        _ = fixture.set(vpn, true)
        fixture.pass(.seconds(10))
        #expect(fixture.core.counts[.ready] == 5_000)
        _ = fixture.set(vpn, false)
        #expect(fixture.core.signals.unsettledAt != nil)
        #expect(fixture.lease(10).isEmpty)
        fixture.pass(.milliseconds(1))
        #expect(fixture.core.counts[.held] == 5_000)
        fixture.core.checkInvariants()
    }

    @Test
    mutating func ownersTakeTurnsInAHerd() throws {
        _ = try held(300)
        fixture.checksEveryAct = false
        let other = try fixture.submit(Fixture.Order(owner: 2_000)).id
        try fixture.pause(PauseScope())
        fixture.pass(.seconds(3))
        _ = fixture.set(vpn, true)
        try fixture.resume(PauseScope())
        #expect(fixture.state(other) == .ready)
        #expect(fixture.core.counts[.ready] == 100)
    }

    @Test
    mutating func aStartReleasesWhatIsOverdueByTheRamp() throws {
        fixture.checksEveryAct = false
        try beLate(1_000)
        fixture.restart()
        #expect(fixture.core.counts[.ready] == 100)
        let drained = drain()
        #expect(drained == [125, 156, 195, 243, 181])
        #expect(fixture.reports.map(\.trigger) == [.start])
    }

    @Test
    mutating func aSuspendReleasesWhatIsOverdueByTheRamp() throws {
        fixture.checksEveryAct = false
        try beLate(1_000)
        fixture.core.timePassed(now: fixture.now, into: &fixture.effects)
        #expect(fixture.core.counts[.ready] == 100)
        let drained = drain()
        #expect(drained.count == 5)
        #expect(fixture.reports.map(\.trigger) == [.overdue])
    }

    @Test
    mutating func whatComesDueInTimeWaitsForNobody() throws {
        fixture.checksEveryAct = false
        for _ in 0..<1_000 { try fixture.submit() }
        fixture.pass(.seconds(2))
        #expect(fixture.core.counts[.ready] == 1_000)
    }

    @Test
    mutating func aStepOfTheClockReleasesByTheRamp() throws {
        fixture.checksEveryAct = false
        let order = Fixture.Order(verdict: .again(at: fixture.now.wall + .hours(3)))
        for _ in 0..<300 { try fixture.submit(order) }
        fixture.stepWall(.hours(5))
        #expect(fixture.core.counts[.ready] == 100)
        let drained = drain()
        #expect(drained == [125, 75])
        #expect(fixture.reports.map(\.trigger) == [.clockStep])
    }

    @Test
    mutating func manyRetriedByHandGoByTheRamp() throws {
        fixture.checksEveryAct = false
        var ids: [OperationID] = []
        for _ in 0..<300 { ids.append(try fixture.submit().id) }
        for id in ids { try fixture.retry(id) }
        #expect(fixture.core.counts[.ready] == 100)
        let drained = drain()
        #expect(drained == [125, 75])
        #expect(fixture.reports.map(\.trigger) == [.retry])
    }

    @Test
    mutating func whatADeadWorkerRanGoesByTheRamp() throws {
        fixture.checksEveryAct = false
        for _ in 0..<300 { try fixture.submit() }
        fixture.pass(.seconds(2))
        #expect(fixture.lease(300).count == 300)
        #expect(fixture.holderDied(Fixture.worker) == 300)
        #expect(fixture.core.counts[.ready] == 100)
        let drained = drain()
        #expect(drained == [125, 75])
        #expect(fixture.reports.map(\.trigger) == [.leaseLost])
    }

    @Test
    mutating func oneLostLeaseWaitsForNobody() throws {
        try fixture.submit()
        fixture.pass(.seconds(2))
        #expect(fixture.lease().count == 1)
        #expect(fixture.holderDied(Fixture.worker) == 1)
        #expect(fixture.core.counts[.ready] == 1)
        #expect(fixture.core.release(now: fixture.now) == nil)
    }

    @Test
    mutating func aReleaseIsToldWhileItGoesOnAndAfterwards() throws {
        fixture.checksEveryAct = false
        try beLate(300)
        fixture.restart()
        let began = try #require(fixture.core.release(now: fixture.now))
        #expect(began.report.count == 100)
        #expect(began.waiting == 200)
        #expect(began.endedAt == nil)
        _ = drain()
        let ended = try #require(fixture.core.release(now: fixture.now))
        #expect(ended.report == fixture.reports.first)
        #expect(ended.report.count == 300)
        #expect(ended.waiting == 0)
        #expect(ended.endedAt == fixture.now.instant)
    }

    @Test
    mutating func aWorkerThatDiesDoesNotLetAGatheringHerdGo() throws {
        fixture.checksEveryAct = false
        try fixture.submit()
        fixture.pass(.seconds(2))
        #expect(fixture.lease().count == 1)
        let count = Limits.settledPerTurnMax + 10
        _ = try held(count)
        fixture.set(vpn, true)
        // Not all are told yet, so none of them goes.
        #expect(fixture.holderDied(Fixture.worker) == 1)
        #expect(fixture.core.counts[.ready] == 0)
        fixture.core.timePassed(now: fixture.now, into: &fixture.effects)
        #expect(fixture.core.counts[.ready] == 100)
        #expect(fixture.core.counts[.scheduled] == count + 1 - 100)
    }
}
