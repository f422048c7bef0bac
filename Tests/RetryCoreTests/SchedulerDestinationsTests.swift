import RetryModel
import Testing

@testable import RetryCore

/// Budget, breaker and concurrency of one destination.
@Suite
struct SchedulerDestinationsTests {
    private var fixture = Fixture()
    private let order = Fixture.Order(destination: "mx1")

    /// Operations of the destination that are ready, their back-off over.
    @discardableResult
    private mutating func submit(_ count: Int) throws -> [OperationID] {
        var ids: [OperationID] = []
        for _ in 0..<count { ids.append(try fixture.submit(order).id) }
        fixture.pass(.seconds(2))
        return ids
    }

    private func view() throws -> Scheduler.DestinationView {
        try #require(
            fixture.core.destinations(visibleTo: Fixture.admin, now: fixture.now).first)
    }

    /// Opens the breaker by failures in a row.
    private mutating func open() throws {
        for _ in 0..<5 { try fixture.report(try #require(fixture.lease().first), .again) }
        #expect(try view().breaker == .open)
    }

    private mutating func set(_ change: (inout DestinationPolicy) -> Void) {
        var settings = DestinationSettings()
        change(&settings.standard)
        fixture.setDestinations(settings)
    }

    // MARK: Breaker

    @Test
    mutating func aRestartForgetsNoFailureThatLeadsToAnOpenBreaker() throws {
        for _ in 0..<4 {
            let id = try fixture.submit(Fixture.Order(destination: "mx1")).id
            try fixture.retry(id)
            let grant = try #require(fixture.lease().first)
            try fixture.report(grant, .again)
        }
        #expect(fixture.breakers.isEmpty)
        fixture.restart()
        let id = try fixture.submit(Fixture.Order(destination: "mx1")).id
        try fixture.retry(id)
        let grants = fixture.lease()
        let grant = try #require(grants.first)
        try fixture.report(grant, .again)
        #expect(fixture.breakers == [.open])
    }

    @Test
    mutating func theFifthFailureInARowOpensTheBreaker() throws {
        let ids = try submit(7)
        for _ in 0..<4 { try fixture.report(try #require(fixture.lease().first), .again) }
        #expect(try view().failures == 4)
        #expect(fixture.breakers == [])
        try fixture.report(try #require(fixture.lease().first), .again)
        #expect(fixture.breakers == [.open])
        let until = try #require(try view().until)
        // 5 s, half of it drawn.
        #expect((Span.milliseconds(2_500)...Span.seconds(5)).contains(until - fixture.now.instant))
        #expect(fixture.state(ids[6]) == .scheduled)
        #expect(
            fixture.reasons(ids[6]) == [.breakerOpen(destination: "mx1", until: until)])
        let codes = fixture.reasons(ids[0]).map { $0.code.description }
        #expect(codes == ["backoff-until", "breaker-open"])
        #expect(fixture.lease(5).isEmpty)
        #expect(fixture.core.counts[.ready] == 0)
    }

    @Test
    mutating func whatAnsweredCountsFromZero() throws {
        try submit(9)
        for verdict in [Verdict.again, .again, .again, .again, .never, .again, .again] {
            try fixture.report(try #require(fixture.lease().first), verdict)
        }
        #expect(try view().failures == 2)
        // What else was missing says nothing.
        try fixture.report(try #require(fixture.lease().first), .foreground)
        #expect(try view().failures == 2)
        try fixture.report(try #require(fixture.lease().first), nil)
        #expect(try view().failures == 0)
        #expect(try view().breaker == .closed)
    }

    @Test
    mutating func exactlyOneProbeGoesThroughAHalfOpenBreaker() throws {
        try submit(20)
        try open()
        fixture.pass(.seconds(5))
        #expect(try view().breaker == .halfOpen)
        #expect(fixture.lease(10).count == 1)
        #expect(fixture.lease(10).isEmpty)
        #expect(fixture.core.counts[.leased] == 1)
    }

    @Test
    mutating func aProbeThatSucceedsClosesIt() throws {
        try submit(20)
        try open()
        fixture.pass(.seconds(5))
        try fixture.report(try #require(fixture.lease().first), nil)
        #expect(fixture.breakers == [.closed])
        #expect(fixture.core.counts[.ready] > 10)
        #expect(fixture.lease(5).count == 5)
    }

    @Test
    mutating func aProbeThatFailsOpensItForTwiceAsLong() throws {
        try submit(20)
        try open()
        var spans: [Span] = []
        for _ in 0..<9 {
            fixture.pass(.minutes(6))
            try fixture.report(try #require(fixture.lease().first), .again)
            #expect(fixture.breakers == [.open])
            spans.append(try #require(try view().until) - fixture.now.instant)
        }
        let most: [Int64] = [10, 20, 40, 80, 160, 300, 300, 300, 300]
        for (span, most) in zip(spans, most) {
            #expect((Span.milliseconds(most * 500)...Span.seconds(most)).contains(span))
        }
    }

    @Test
    mutating func aProbeThatSaysNothingMakesRoomForAnother() throws {
        try submit(20)
        try open()
        fixture.pass(.seconds(5))
        var grant = try #require(fixture.lease().first)
        try fixture.release(grant)
        #expect(try view().breaker == .halfOpen)
        grant = try #require(fixture.lease().first)
        try fixture.cancel(grant.record.id)
        #expect(try view().breaker == .halfOpen)
        _ = try #require(fixture.lease().first)
        #expect(fixture.holderDied(Fixture.worker) == 1)
        #expect(try view().breaker == .halfOpen)
        // One that is never heard of again has failed.
        _ = try #require(fixture.lease().first)
        fixture.pass(.seconds(60))
        #expect(try view().breaker == .open)
    }

    @Test
    mutating func attemptsOfBeforeTellNothingNew() throws {
        try submit(20)
        let grants = fixture.lease(7)
        for grant in grants.prefix(5) { try fixture.report(grant, .again) }
        #expect(try view().breaker == .open)
        try fixture.report(grants[5], nil)
        #expect(try view().breaker == .open)
        let until = try view().until
        try fixture.report(grants[6], .again)
        #expect(try view().until == until)
    }

    @Test
    mutating func aBreakerOutlivesARestart() throws {
        try submit(20)
        try open()
        let until = try view().until
        fixture.restart()
        #expect(try view().breaker == .open)
        #expect(try view().until == until)
        fixture.pass(.seconds(5))
        let probe = try #require(fixture.lease().first)
        fixture.restart()
        // The probe of before is still the only one.
        #expect(fixture.lease(5).isEmpty)
        try fixture.report(probe, nil)
        #expect(try view().breaker == .closed)
    }

    // MARK: Budget

    @Test
    mutating func anEmptyBudgetLetsTenASecondThrough() throws {
        fixture.checksEveryAct = false
        let ids = try submit(130)
        #expect(fixture.lease(200).count == 100)
        #expect(try view().tokensMilli == 0)
        let left = try #require(ids.first { fixture.state($0) == .scheduled })
        let next = fixture.now.instant + .milliseconds(100)
        #expect(fixture.reasons(left) == [.budgetEmpty(destination: "mx1", until: next)])
        #expect(fixture.core.counts[.scheduled] == 30)
        fixture.pass(.milliseconds(99))
        #expect(fixture.lease(5).isEmpty)
        for _ in 0..<3 {
            fixture.pass(.milliseconds(100))
            #expect(fixture.lease(5).count == 1)
        }
        fixture.core.checkInvariants()
    }

    @Test
    mutating func aSuccessGivesBackItsCostAndAFifth() throws {
        try submit(3)
        let grants = fixture.lease(3)
        #expect(try view().tokensMilli == 485_000)
        try fixture.report(grants[0], nil)
        #expect(try view().tokensMilli == 491_000)
        try fixture.report(grants[1], .again)
        #expect(try view().tokensMilli == 491_000)
        try fixture.release(grants[2])
        #expect(try view().tokensMilli == 496_000)
    }

    @Test
    mutating func aLeaseThatRanOutCostsTwice() throws {
        set { $0.budgetPerSecond = 1 }
        try submit(1)
        _ = fixture.lease()
        fixture.pass(.seconds(60))
        // 500 - 5, and 60 came back up to full; then 5 more.
        #expect(try view().tokensMilli == 495_000)
        #expect(try view().failures == 1)
    }

    @Test
    mutating func aBudgetOutlivesARestartInSteps() throws {
        fixture.checksEveryAct = false
        try submit(130)
        _ = fixture.lease(50)
        fixture.restart()
        // Written at each fifth: nobody gets more than a fifth anew.
        #expect(try view().tokensMilli <= 350_000)
        #expect(try view().tokensMilli >= 250_000)
    }

    // MARK: Concurrency, names

    @Test
    mutating func aLimitIsKept() throws {
        set { $0.concurrencyMax = 2 }
        let ids = try submit(4)
        let grants = fixture.lease(4)
        #expect(grants.count == 2)
        let waiting = try #require(ids.first { fixture.state($0) == .ready })
        #expect(fixture.reasons(waiting) == [.quota(destination: "mx1", max: 2)])
        try fixture.report(grants[0], nil)
        #expect(fixture.lease(4).count == 1)
        #expect(fixture.lease(4).isEmpty)
    }

    @Test
    mutating func ownersHaveTheirOwnUnlessItIsShared() throws {
        try fixture.submit(order)
        try fixture.submit(Fixture.Order(owner: 2_000, destination: "mx1"))
        let own = fixture.core.destinations(visibleTo: Fixture.owner, now: fixture.now)
        #expect(own.map(\.name.owner) == [1_000])
        var settings = DestinationSettings()
        settings.shared = ["mx2"]
        fixture.setDestinations(settings)
        try fixture.submit(Fixture.Order(destination: "mx2"))
        try fixture.submit(Fixture.Order(owner: 2_000, destination: "mx2"))
        let all = fixture.core.destinations(visibleTo: Fixture.admin, now: fixture.now)
        #expect(all.map(\.name.owner) == [1_000, 2_000, nil])
        #expect(all.map(\.waiting) == [1, 1, 2])
        #expect(
            fixture.core.destinations(visibleTo: Fixture.stranger, now: fixture.now)
                .map(\.name.name) == ["mx1", "mx2"])
    }

    @Test
    mutating func othersGoOn() throws {
        try submit(6)
        try open()
        try fixture.submit(Fixture.Order(destination: "mx2"))
        try fixture.submit()
        fixture.pass(.seconds(2))
        #expect(fixture.lease(9).count == 2)
    }
}
