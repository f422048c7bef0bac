import RetryModel
import Support
import Testing

@testable import RetryCore

/// After a start with what was stored, everything is as it was.
@Suite
struct SchedulerRecoveryTests {
    private var fixture = Fixture()
    private var store = StoreModel()

    init() {
        store.commit(fixture.effects.all)
    }

    /// Does something and stores what it ordered.
    @discardableResult
    private mutating func act<Result>(
        _ body: (inout Fixture) throws -> Result
    ) rethrows -> Result {
        let result = try body(&fixture)
        store.commit(fixture.effects.all)
        return result
    }

    private mutating func restart(
        limits: SchedulerLimits = SchedulerLimits(), policies: [Policy] = [Fixture.exact]
    ) {
        var effects = Effects()
        fixture.core = store.restored(
            seed: 42, limits: limits, policies: policies, now: fixture.now, into: &effects)
        fixture.core.checkInvariants()
    }

    private func views() -> [Scheduler.View?] {
        fixture.core.ids { _ in true }.map { fixture.core.view($0, now: fixture.now) }
    }

    /// One operation in every state and for every reason, each with all it can have.
    private mutating func fillAll() throws -> [OperationID] {
        var ids: [OperationID] = []
        let deadline = fixture.now.wall + .days(3)
        let succeeded = try act { try $0.submit() }.id
        try act { try $0.retry(succeeded) }
        let grant = try #require(act { $0.lease() }.first)
        try act { try $0.report(grant, nil) }
        let orders = [
            Fixture.Order(
                destination: "d", keyHash: 1, eventHash: 1, priority: -3, isIdempotent: true,
                retriesUnknown: true, deadline: deadline),
            Fixture.Order(verdict: .again(at: fixture.now.wall + .hours(1))),
            Fixture.Order(verdict: .foreground),
            Fixture.Order(credential: "oauth:alice", verdict: .signIn),
            Fixture.Order(credential: "oauth:alice", verdict: .foreground),
            Fixture.Order(owner: 2_000, keyHash: 2, verdict: .newFlow),
            Fixture.Order(keyHash: 3, eventHash: 9, verdict: .never),
            Fixture.Order(queue: "other", keyHash: 4),
            Fixture.Order(queue: "other"), Fixture.Order(queue: "other"),
        ]
        for order in orders { ids.append(try act { try $0.submit(order) }.id) }
        try act { try $0.cancel(ids[8]) }
        try act { try $0.retry(ids[9]) }
        return ids + [succeeded]
    }

    @Test
    mutating func everyStateComesBackAsItWas() throws {
        let ids = try fillAll()
        let before = views()
        let states = Set(before.compactMap { $0?.state })
        // All but leased, which gets its grace.
        #expect(states == Set(OperationState.allCases).subtracting([.leased]))
        let reasons = ids.map { fixture.core.reasons($0, now: fixture.now) }
        let signals = fixture.core.signals(visibleTo: Fixture.admin)
        let next = fixture.core.nextDue
        restart()
        #expect(views() == before)
        #expect(ids.map { fixture.core.reasons($0, now: fixture.now) } == reasons)
        #expect(fixture.core.signals(visibleTo: Fixture.admin) == signals)
        #expect(fixture.core.nextDue == next)
        for state in OperationState.allCases {
            #expect(fixture.core.counts[state] == before.count { $0?.state == state })
        }
        for key in 1...4 as ClosedRange<UInt64> {
            #expect(fixture.core.operations(withKeyHash: key).count == 1)
        }
        #expect(fixture.core.operation(ofEvent: 1) == ids[0])
        #expect(fixture.core.operation(ofEvent: 9) == ids[6])
    }

    @Test
    mutating func aSecondRestartChangesNothing() throws {
        _ = try fillAll()
        restart()
        let before = views()
        restart()
        #expect(views() == before)
    }

    @Test
    mutating func aLevelThatFellBeforeTheTimeCameShowsTheSameAfterwards() throws {
        act { $0.set(.ownForeground, true) }
        let id = try act { try $0.submit(Fixture.Order(verdict: .foreground)) }.id
        act { $0.set(.ownForeground, false) }
        let before = views()
        restart()
        #expect(views() == before)
        #expect(fixture.state(id) == .held)
    }

    // MARK: Leases

    @Test
    mutating func aLeaseStandsForTheReconnectWindow() throws {
        let id = try act { try $0.submit() }.id
        act { $0.pass(.seconds(2)) }
        let grant = try #require(act { $0.lease(visibility: .seconds(5)) }.first)
        act { $0.pass(.seconds(4)) }
        restart()
        #expect(fixture.state(id) == .leased)
        #expect(try fixture.wait(id) == .seconds(30))
        #expect(fixture.core.holders == [Fixture.worker])
        // The worker goes on as if nothing had been.
        #expect(try fixture.extend(grant) == fixture.now.instant + .seconds(5))
        try fixture.report(grant, .again)
        #expect(try fixture.record(id).recoveries == 0)
        #expect(try fixture.record(id).attempts == 2)
    }

    @Test
    mutating func aLongLeaseStandsAsLongAsItWould() throws {
        let id = try act { try $0.submit() }.id
        act { $0.pass(.seconds(2)) }
        _ = act { $0.lease(visibility: .hours(1)) }
        act { $0.pass(.minutes(1)) }
        restart()
        #expect(try fixture.wait(id) == .minutes(59))
    }

    @Test
    mutating func aWorkerThatDoesNotComeBackHasLostIt() throws {
        let id = try act { try $0.submit() }.id
        act { $0.pass(.seconds(2)) }
        _ = act { $0.lease() }
        restart()
        fixture.pass(.minutes(2))
        #expect(fixture.state(id) == .ready)
        #expect(try fixture.record(id).recoveries == 1)
    }

    @Test
    mutating func aLateReportCountsOverARestart() throws {
        let id = try act { try $0.submit(Fixture.Order(credential: "oauth:alice")) }.id
        act { $0.pass(.seconds(2)) }
        let grant = try #require(act { $0.lease(by: Fixture.foreignWorker) }.first)
        act { $0.pass(.minutes(2)) }
        act { $0.set(.ownCredential(), true) }
        restart()
        #expect(fixture.state(id) == .ready)
        // What the lease knew is known: who it was, and which renewal it began under.
        try fixture.report(grant, .signIn, by: Fixture.foreignCaller)
        #expect(fixture.core.isOn(.ownCredential()))
        #expect(throws: Refusal.staleLease(.ready)) {
            try fixture.report(grant, nil, by: Fixture.owner)
        }
    }

    @Test
    mutating func tokensGoOnRising() throws {
        let id = try act { try $0.submit() }.id
        act { $0.pass(.seconds(2)) }
        let grant = try #require(act { $0.lease() }.first)
        try act { try $0.report(grant, .again) }
        restart()
        fixture.pass(.seconds(10))
        let next = try #require(fixture.lease().first)
        #expect(next.record.id == id)
        #expect(next.record.token.rawValue == grant.record.token.rawValue + 1)
        #expect(throws: Refusal.staleLease(.leased)) { try fixture.report(grant, nil) }
    }

    // MARK: Numbers and names

    @Test
    mutating func idsAreNeverGivenTwice() throws {
        let first = try act { try $0.submit() }.id
        restart()
        let second = try act { try $0.submit() }.id
        #expect(first.rawValue == 1)
        #expect(second.rawValue == 4_097)
        restart()
        #expect(try act { try $0.submit() }.id.rawValue == 8_193)
    }

    @Test
    mutating func lanesAndPoliciesKeepTheirNumbers() throws {
        var slow = Fixture.exact
        slow.name = "slow"
        var effects = Effects()
        fixture.core.policiesChanged(
            to: [Fixture.exact, slow], ofQueues: [], into: &effects)
        store.commit(effects.all)
        let id = try act { try $0.submit(Fixture.Order(policy: "slow")) }.id
        _ = try act { try $0.submit(Fixture.Order(queue: "b")) }
        // Before the restart there was another policy in the configuration.
        var fast = Fixture.exact
        fast.name = "fast"
        restart(policies: [Fixture.exact, fast, slow])
        let record = try fixture.record(id)
        #expect(fixture.core.policies.name(record.policy) == "slow")
        #expect(fixture.core.policies.index(named: "fast") == 2)
        #expect(fixture.core.lane(record.lane).policy == "slow")
        try fixture.submit(Fixture.Order(queue: "b"))
        let added = fixture.effects.all.filter { effect in
            if case .saveLane = effect { true } else { false }
        }
        #expect(added.isEmpty)
    }

    // MARK: Order and clocks

    @Test
    mutating func theLongestKeptGoFirstAlsoAfterwards() throws {
        var ids: [OperationID] = []
        for _ in 0..<4 {
            ids.append(try act { try $0.submit(Fixture.Order(verdict: .foreground)) }.id)
        }
        // They end in another order than that of their ids.
        for number in [2, 0, 3, 1] {
            try act { try $0.cancel(ids[number]) }
            act { $0.pass(.seconds(1)) }
        }
        var limits = SchedulerLimits()
        limits.endedKeptMax = 3
        restart(limits: limits)
        let fifth = try act { try $0.submit() }.id
        try act { try $0.cancel(fifth) }
        #expect(ids.map { fixture.state($0) } == [nil, .cancelled, nil, .cancelled])
    }

    @Test
    mutating func aDateFollowsTheWallClockOverTheRestart() throws {
        let date = fixture.now.wall + .hours(2)
        let id = try act { try $0.submit(Fixture.Order(verdict: .again(at: date))) }.id
        let plain = try act { try $0.submit() }.id
        let due = try fixture.record(id).due
        let plainDue = try fixture.record(plain).due
        fixture.now.wall = fixture.now.wall + .hours(1)
        restart()
        #expect(try fixture.record(id).due == due + .hours(-1))
        #expect(try fixture.record(plain).due == plainDue)
    }

    @Test
    mutating func whatCameDueMeanwhileIsReady() throws {
        let id = try act { try $0.submit() }.id
        fixture.now.instant = fixture.now.instant + .days(2)
        restart()
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func eventsWithoutTheirOperationHaveAnEnd() throws {
        fixture.core.eventRestored(5, OperationID(rawValue: 77), until: nil, now: fixture.now)
        #expect(fixture.core.nextDue == fixture.now.instant + .hours(24))
        fixture.core.eventRestored(
            6, OperationID(rawValue: 78), until: fixture.now.instant + .hours(1),
            now: fixture.now)
        #expect(fixture.core.nextDue == fixture.now.instant + .hours(1))
        fixture.pass(.hours(25))
        #expect(fixture.core.operation(ofEvent: 5) == nil)
        #expect(fixture.core.operation(ofEvent: 6) == nil)
    }

    @Test
    func anOperationStoredTwiceIsRefused() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            let id = try fixture.submit().id
            let record = try fixture.record(id)
            fixture.core.operationRestored(record, now: fixture.now, into: &fixture.effects)
        }
    }

    @Test
    func aLaneWithoutItsSignalsIsRefused() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            fixture.core.laneRestored(
                0,
                Lane(owner: 1, group: 1, queue: "q", kind: .custom, scope: "user:1"),
                now: fixture.now)
        }
    }
}
