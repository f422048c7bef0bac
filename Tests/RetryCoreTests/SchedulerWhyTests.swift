import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerWhyTests {
    private var fixture = Fixture()

    private func reasons(_ id: OperationID) -> [Reason] {
        fixture.core.reasons(id, now: fixture.now)
    }

    @Test
    mutating func scheduledOnesWaitForTheirBackoff() throws {
        let id = try fixture.submit().id
        #expect(reasons(id) == [.backoffUntil(fixture.now.instant + .seconds(2))])
        #expect(reasons(id).map(\.code.description) == ["backoff-until"])
    }

    @Test
    mutating func aDateIsTheServersWord() throws {
        let id = try fixture.submit(
            Fixture.Order(verdict: .again(at: fixture.now.wall + .minutes(1)))
        ).id
        let due = try fixture.record(id).due
        #expect(reasons(id) == [.serverSaidUntil(due)])
    }

    @Test
    mutating func readyOnesWaitForAWorker() throws {
        let id = try fixture.submit().id
        fixture.pass(.seconds(2))
        #expect(reasons(id) == [.noWorker(queue: "mail.send")])
        #expect(reasons(id).first?.until == nil)
    }

    @Test
    mutating func leasedOnesRun() throws {
        let id = try fixture.submit().id
        fixture.pass(.seconds(2))
        _ = fixture.lease()
        #expect(
            reasons(id)
                == [.leasedBy(Fixture.worker, until: fixture.now.instant + .seconds(60))])
    }

    @Test
    mutating func heldOnesNameTheSignalAndWhatElseKeepsThem() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        let due = fixture.now.instant + .seconds(2)
        #expect(
            reasons(id)
                == [.signal(.ownForeground, until: due + .days(7)), .backoffUntil(due)])
        // The time has come: only the signal is left.
        fixture.pass(.seconds(2))
        #expect(reasons(id) == [.signal(.ownForeground, until: due + .days(7))])
    }

    @Test
    mutating func aRefusedCredentialComesBeforeTheCondition() throws {
        let id = try fixture.submit(
            Fixture.Order(credential: "oauth:alice", verdict: .foreground)
        ).id
        let due = fixture.now.instant + .seconds(2)
        fixture.set(.ownCredential(), false)
        let expected: [Reason] = [
            .credentialHeld("oauth:alice", until: due + .days(7)),
            .signal(.ownForeground, until: due + .days(7)), .backoffUntil(due),
        ]
        #expect(reasons(id) == expected)
        fixture.set(.ownForeground, true)
        #expect(
            reasons(id)
                == [.credentialHeld("oauth:alice", until: due + .days(7)), .backoffUntil(due)])
    }

    @Test
    mutating func theEndOfAHoldIsTheOneThatWasFixed() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        let end = try #require(reasons(id).first?.until)
        var policy = Fixture.exact
        policy.holdMax = .hours(1)
        var effects = Effects()
        fixture.core.policiesChanged(to: [policy], ofQueues: [], into: &effects)
        #expect(reasons(id).first?.until == end)
        fixture.pass(.hours(2))
        #expect(fixture.state(id) == .held)
    }

    @Test
    mutating func parkedOnesNeedTheirOwner() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .newFlow)).id
        #expect(reasons(id) == [.needsOwner(.newFlow, until: fixture.now.instant + .days(30))])
    }

    @Test
    mutating func deadAndEndedOnesSaySo() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .never)).id
        #expect(reasons(id) == [.dead(.permanent)])
        try fixture.cancel(id)
        #expect(reasons(id) == [.ended])
        #expect(reasons(OperationID(rawValue: 99)) == [])
    }

    @Test
    mutating func aViewHasTheTrueFace() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        let view = try #require(fixture.core.view(id, now: fixture.now))
        #expect(view.state == .held)
        #expect(view.record.state == .scheduled)
        #expect(view.reason == reasons(id)[0])
        #expect(fixture.core.view(OperationID(rawValue: 99), now: fixture.now) == nil)
    }

    @Test
    mutating func othersSeeNothing() throws {
        let id = try fixture.submit().id
        #expect(throws: Refusal.noSuchOperation(id)) {
            try fixture.core.view(id, for: Fixture.stranger, now: fixture.now)
        }
        #expect(throws: Refusal.noSuchOperation(OperationID(rawValue: 99))) {
            try fixture.core.view(OperationID(rawValue: 99), for: Fixture.admin, now: fixture.now)
        }
        #expect(try fixture.core.view(id, for: Fixture.owner, now: fixture.now).record.id == id)
        #expect(try fixture.core.view(id, for: Fixture.admin, now: fixture.now).record.id == id)
    }

    @Test
    mutating func listsWhatMatchesInTheOrderOfIds() throws {
        let first = try fixture.submit(Fixture.Order(keyHash: 3)).id
        let second = try fixture.submit(Fixture.Order(verdict: .never)).id
        let third = try fixture.submit().id
        try fixture.cancel(second)
        fixture.pass(.days(2))
        // A freed slot is used by a later operation.
        let fourth = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(fixture.core.slotsUsed == 3)
        #expect(fixture.core.ids(inSlots: 0..<3) { _ in true } == [first, third, fourth])
        #expect(fixture.core.ids(inSlots: 0..<3) { $0.state == .held } == [fourth])
        #expect(fixture.core.ids(inSlots: 0..<3) { $0.keyHash == 3 } == [first])
        #expect(fixture.core.ids(inSlots: 0..<3) { $0.rule == 2 } == [fourth])
        // Piece by piece, and beyond the end.
        #expect(fixture.core.ids(inSlots: 0..<1) { _ in true } == [first])
        #expect(fixture.core.ids(inSlots: 1..<9) { _ in true } == [third, fourth])
        #expect(fixture.core.ids(inSlots: 3..<9) { _ in true } == [])
    }
}
