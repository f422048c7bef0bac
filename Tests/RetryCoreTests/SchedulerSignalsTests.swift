import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerSignalsTests {
    private var fixture = Fixture()

    private func order(_ verdict: Verdict = .again, owner: UserID = 1_000) -> Fixture.Order {
        Fixture.Order(owner: owner, credential: "oauth:alice", verdict: verdict)
    }

    // MARK: Levels

    @Test
    mutating func theForegroundOfAllIsThereForScopesNamedLater() throws {
        let known = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        fixture.effects.removeAll()
        let released = fixture.core.foregroundOfAllSet(
            by: 0, lasting: .seconds(60), now: fixture.now, into: &fixture.effects)
        #expect(released == 1)
        #expect(fixture.state(known) == .scheduled)
        let app = try fixture.submit(Fixture.Order(scope: "app:new", verdict: .foreground)).id
        #expect(fixture.state(app) == .scheduled)
        let user = try fixture.submit(Fixture.Order(owner: 2_000, verdict: .foreground)).id
        #expect(fixture.state(user) == .scheduled)
        fixture.pass(.seconds(61))
        #expect(fixture.state(app) == .held)
        let late = try fixture.submit(Fixture.Order(scope: "app:late", verdict: .foreground)).id
        #expect(fixture.state(late) == .held)
    }

    @Test
    mutating func aSetLevelIsStoredWithItsSetter() throws {
        fixture.pass(.seconds(3))
        fixture.set(.ownForeground, true, by: 1_000)
        let expected = SignalRecord(
            name: .ownForeground, isOn: true, setter: 1_000, changedAt: fixture.now.instant,
            changedAtWall: fixture.now.wall, until: nil, generation: 1)
        #expect(fixture.effects.all.contains(.saveSignal(0, expected)))
        #expect(fixture.core.isOn(.ownForeground))
    }

    @Test
    mutating func aLevelSetAgainKeepsItsTimeAndRaisesItsGeneration() throws {
        fixture.set(.ownForeground, true)
        let since = fixture.now.instant
        fixture.pass(.hours(1))
        fixture.set(.ownForeground, true)
        let view = try #require(fixture.core.signals(visibleTo: Fixture.owner).first)
        #expect(view.record.changedAt == since)
        #expect(view.record.generation == 2)
        // Switching off is no renewal.
        fixture.set(.ownForeground, false)
        let off = try #require(fixture.core.signals(visibleTo: Fixture.owner).first)
        #expect(off.record.generation == 2)
    }

    @Test
    mutating func ttlEndsALevel() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(fixture.set(.ownForeground, true, lasting: .minutes(1)) == 1)
        fixture.pass(.seconds(59))
        #expect(fixture.core.isOn(.ownForeground))
        #expect(fixture.state(id) == .ready)
        fixture.pass(.seconds(1))
        #expect(!fixture.core.isOn(.ownForeground))
        #expect(fixture.state(id) == .held)
        #expect(fixture.core.signals(visibleTo: Fixture.owner)[0].record.until == nil)
    }

    @Test
    mutating func ttlIsRenewedAndTakenAway() throws {
        fixture.set(.ownForeground, true, lasting: .minutes(1))
        fixture.pass(.seconds(50))
        fixture.set(.ownForeground, true, lasting: .minutes(1))
        fixture.pass(.seconds(50))
        #expect(fixture.core.isOn(.ownForeground))
        fixture.set(.ownForeground, true)
        fixture.pass(.days(1))
        #expect(fixture.core.isOn(.ownForeground))
    }

    @Test
    mutating func ttlFallsBackToTheLevelBeforeAnybodySetIt() throws {
        let id = try fixture.submit(
            Fixture.Order(verdict: Verdict(disposition: .retry, condition: .network, rule: 0))
        ).id
        fixture.set(.network, false, lasting: .minutes(1))
        #expect(fixture.state(id) == .held)
        fixture.pass(.minutes(1))
        #expect(fixture.core.isOn(.network))
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func customSignalsBelongToTheirOwner() throws {
        let verdict = Verdict(disposition: .retry, condition: .custom("vpn"), rule: 0)
        let id = try fixture.submit(Fixture.Order(verdict: verdict)).id
        #expect(fixture.set(.custom(name: "vpn", owner: 2_000), true) == 0)
        #expect(fixture.state(id) == .held)
        #expect(fixture.set(.custom(name: "vpn", owner: 1_000), true) == 1)
        #expect(fixture.state(id) == .scheduled)
    }

    @Test
    mutating func aForegroundOfAUserIsSharedAndOneOfAnAppIsNot() throws {
        let user = try fixture.submit(
            Fixture.Order(owner: 2_000, scope: "user:1000", verdict: .foreground)
        ).id
        let app = try fixture.submit(
            Fixture.Order(owner: 2_000, scope: "app:mail", verdict: .foreground)
        ).id
        #expect(fixture.set(.foreground(of: "user:1000", for: 1_000), true) == 1)
        #expect(fixture.state(user) == .scheduled)
        #expect(fixture.set(.foreground(of: "app:mail", for: 1_000), true) == 0)
        #expect(fixture.set(.foreground(of: "app:mail", for: 2_000), true) == 1)
        #expect(fixture.state(app) == .scheduled)
    }

    @Test
    mutating func flappingLosesNobody() throws {
        var ids: [OperationID] = []
        for number in 0..<6 {
            ids.append(
                try fixture.submit(
                    Fixture.Order(
                        credential: number % 2 == 0 ? "oauth:alice" : nil, verdict: .foreground)
                ).id)
        }
        for round in 0..<20 {
            fixture.set(.ownForeground, round % 2 == 0)
            if round % 3 == 0 { fixture.set(.ownCredential(), round % 6 == 0) }
            fixture.pass(.milliseconds(300))
        }
        fixture.set(.ownForeground, true)
        fixture.set(.ownCredential(), true)
        fixture.pass(.seconds(2))
        #expect(ids.map { fixture.state($0) } == Array(repeating: .ready, count: 6))
        #expect(fixture.lease(9).count == 6)
    }

    // MARK: Credentials

    @Test
    mutating func aRefusalHoldsAllThatNameTheCredential() throws {
        let scheduled = try fixture.submit(order()).id
        let other = try fixture.submit().id
        let foreign = try fixture.submit(order(owner: 2_000)).id
        let refused = try fixture.submit(order(.signIn)).id
        #expect(fixture.state(scheduled) == .held)
        #expect(fixture.state(refused) == .held)
        #expect(fixture.state(other) == .scheduled)
        #expect(fixture.state(foreign) == .scheduled)
        #expect(!fixture.core.isOn(.ownCredential()))
        // What comes later is held at once.
        let later = try fixture.submit(order()).id
        #expect(fixture.state(later) == .held)
        fixture.pass(.seconds(5))
        #expect(fixture.set(.ownCredential(), true) == 3)
        #expect(fixture.state(scheduled) == .ready)
        #expect(fixture.state(refused) == .ready)
    }

    @Test
    mutating func oneRefusalIsOneNotice() throws {
        try fixture.submit(order(.signIn))
        let notices = fixture.effects.all.filter { effect in
            if case .saveSignal(_, let record) = effect { !record.isOn } else { false }
        }
        // The foreground of its owner is stored as off too, when it is named first.
        #expect(notices.count == 2)
        try fixture.submit(order(.signIn))
        let again = fixture.effects.all.filter { effect in
            if case .saveSignal = effect { true } else { false }
        }
        #expect(again.isEmpty)
    }

    @Test
    mutating func runningAttemptsOfARefusedCredentialGoOn() throws {
        try fixture.submit(order())
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        try fixture.submit(order(.signIn))
        #expect(fixture.state(grant.record.id) == .leased)
        try fixture.report(grant, nil)
        #expect(fixture.state(grant.record.id) == .succeeded)
    }

    @Test
    mutating func aRefusalOfAnOlderRenewalHoldsNothing() throws {
        try fixture.submit(order())
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        fixture.set(.ownCredential(), true)
        try fixture.report(grant, .signIn)
        #expect(fixture.core.isOn(.ownCredential()))
        // It is tried again at once, with the new one, and that refusal counts.
        let next = fixture.lease()[0]
        try fixture.report(next, .signIn)
        #expect(!fixture.core.isOn(.ownCredential()))
        #expect(fixture.state(grant.record.id) == .held)
    }

    /// The generation is kept although the lease was lost meanwhile.
    @Test
    mutating func aLateRefusalOfAnOlderRenewalHoldsNothing() throws {
        try fixture.submit(order())
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        fixture.pass(.minutes(5))
        #expect(fixture.state(grant.record.id) == .ready)
        fixture.set(.ownCredential(), true)
        try fixture.report(grant, .signIn)
        #expect(fixture.core.isOn(.ownCredential()))
    }

    @Test
    mutating func aLateRefusalOfThePresentOneCounts() throws {
        try fixture.submit(order())
        fixture.pass(.seconds(2))
        let grant = fixture.lease()[0]
        fixture.pass(.minutes(5))
        try fixture.report(grant, .signIn)
        #expect(!fixture.core.isOn(.ownCredential()))
    }

    @Test
    mutating func aCredentialNotRenewedParksAfterMaxHold() throws {
        let id = try fixture.submit(order(.signIn)).id
        fixture.pass(.days(7))
        #expect(fixture.state(id) == .parked)
        #expect(try fixture.record(id).cause == .heldTooLong)
    }

    // MARK: Looks

    @Test
    mutating func callersSeeTheirOwnSignalsAndTheNetwork() throws {
        fixture.set(.network, true)
        fixture.set(.ownForeground, true)
        fixture.set(.foreground(of: "user:2000", for: 2_000), true)
        fixture.set(.foreground(of: "app:x", for: 2_000), true)
        fixture.set(.ownCredential(), true)
        fixture.set(.custom(name: "vpn", owner: 2_000), true)
        func names(_ caller: Caller) -> [SignalName] {
            fixture.core.signals(visibleTo: caller).map(\.record.name)
        }
        #expect(names(Fixture.owner) == [.network, .ownForeground, .ownCredential()])
        #expect(
            names(Fixture.stranger) == [
                .network, .foreground(of: "user:2000", for: 0),
                .foreground(of: "app:x", for: 2_000), .custom(name: "vpn", owner: 2_000),
            ])
        #expect(names(Fixture.admin).count == 6)
    }

    @Test
    mutating func tellsHowManyWait() throws {
        for _ in 0..<3 { try fixture.submit(Fixture.Order(verdict: .foreground)) }
        try fixture.submit()
        #expect(fixture.core.signals(visibleTo: Fixture.owner).map(\.waiting) == [3])
        fixture.set(.ownForeground, true)
        #expect(fixture.core.signals(visibleTo: Fixture.owner).map(\.waiting) == [0])
    }

    @Test
    func aSignalNobodyNamedHasItsInitialLevel() {
        #expect(fixture.core.isOn(.network))
        #expect(!fixture.core.isOn(.ownForeground))
        #expect(fixture.core.isOn(.ownCredential("never-named")))
    }
}
