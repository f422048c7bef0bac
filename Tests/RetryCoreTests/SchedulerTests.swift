import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerTests {
    @Test
    func aNewSchedulerHasNothingToDo() {
        let fixture = Fixture()
        #expect(fixture.core.nextDue == nil)
        #expect(fixture.core.counts.live == 0)
        #expect(fixture.core.counts(of: 1_000).live == 0)
        fixture.core.checkInvariants()
    }

    @Test
    mutating func nextRunnableIsTheEarliestBackOffAndNoOtherTime() throws {
        var fixture = Fixture()
        #expect(fixture.core.nextRunnable == nil)
        let id = try fixture.submit(Fixture.Order(verdict: .again(after: .hours(6)))).id
        let due = try fixture.record(id).due
        fixture.set(.ownForeground, true, lasting: .seconds(60))
        try fixture.pause(PauseScope(queue: "nobody"), lasting: .seconds(10))
        _ = try fixture.submit(Fixture.Order(verdict: .never))
        #expect(fixture.core.nextRunnable == due)
        // What is paused does not run by itself.
        let sooner = try fixture.submit(Fixture.Order(queue: "other")).id
        #expect(try fixture.core.nextRunnable == fixture.record(sooner).due)
        try fixture.pause(PauseScope(queue: "other"))
        #expect(fixture.core.nextRunnable == due)
    }

    @Test
    func nextDueIsTheEarliestOfOperationsSignalsAndEvents() throws {
        var limits = SchedulerLimits()
        limits.endedKept = .seconds(1)
        var fixture = Fixture(limits: limits)
        _ = try fixture.submit(Fixture.Order(verdict: .again(after: .minutes(9))))
        let due = try #require(fixture.core.nextDue)
        #expect(due - fixture.now.instant >= .minutes(9))
        fixture.set(.network, false, lasting: .minutes(1))
        #expect(fixture.core.nextDue == fixture.now.instant + .minutes(1))
        fixture.set(.network, true)
        #expect(fixture.core.nextDue == due)
    }

    @Test
    func callersActOnTheirOwn() {
        #expect(Fixture.owner.mayAct(onOperationsOf: 1_000))
        #expect(!Fixture.stranger.mayAct(onOperationsOf: 1_000))
        #expect(Fixture.admin.mayAct(onOperationsOf: 1_000))
    }

    @Test
    func countsAreByStateAndOwner() throws {
        var fixture = Fixture()
        _ = try fixture.submit()
        _ = try fixture.submit(Fixture.Order(owner: 2_000, verdict: .never))
        #expect(fixture.core.counts[.scheduled] == 1)
        #expect(fixture.core.counts[.dead] == 1)
        #expect(fixture.core.counts(of: 1_000)[.scheduled] == 1)
        #expect(fixture.core.counts(of: 2_000)[.dead] == 1)
        #expect(fixture.core.counts(of: 2_000).live == 0)
    }

    /// The same seed and the same events: the same effects, byte for byte.
    @Test
    func theSameSeedGivesTheSameEffects() throws {
        func run(seed: UInt64) throws -> [Effect] {
            var fixture = Fixture(seed: seed, policies: [.standard])
            var all: [Effect] = []
            for number in 0..<40 as Range<UInt32> {
                _ = try fixture.submit(Fixture.Order(owner: 1_000 + number % 3))
                all += fixture.effects.all
                fixture.pass(.seconds(1))
                all += fixture.effects.all
                for grant in fixture.lease(3) {
                    all += fixture.effects.all
                    try fixture.report(grant, .again, by: Fixture.admin)
                    all += fixture.effects.all
                }
            }
            return all
        }
        let first = try run(seed: 5)
        #expect(first.count > 200)
        // Compared outside of `expect`, which would describe every one of them.
        let isSame = try run(seed: 5) == first
        #expect(isSame)
        let isOther = try run(seed: 6) != first
        #expect(isOther)
    }

    @Test
    func aCopyGoesItsOwnWay() throws {
        var fixture = Fixture()
        let id = try fixture.submit().id
        let copy = fixture.core
        try fixture.cancel(id)
        #expect(copy.view(id, now: fixture.now)?.state == .scheduled)
        copy.checkInvariants()
    }
}
