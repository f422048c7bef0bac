import RetryModel
import Testing

@testable import RetryCore

/// The three faces of waiting: what is shown follows from time and levels, not from how it came.
@Suite
struct SchedulerPlacementTests {
    private var fixture = Fixture()

    @Test
    mutating func timeAloneMakesReady() throws {
        let id = try fixture.submit().id
        #expect(fixture.state(id) == .scheduled)
        fixture.pass(Span(usec: 1_999_999))
        #expect(fixture.state(id) == .scheduled)
        fixture.pass(Span(usec: 1))
        #expect(fixture.state(id) == .ready)
        #expect(fixture.changes == [.ready])
        // Coming due costs no write.
        #expect(fixture.saved == [])
    }

    @Test
    mutating func aLevelThatIsOffHoldsBeforeAndAfterTheTime() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(fixture.state(id) == .held)
        fixture.pass(.hours(1))
        #expect(fixture.state(id) == .held)
    }

    @Test
    mutating func theSignalMayComeBeforeTheTime() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(fixture.set(.ownForeground, true) == 1)
        #expect(fixture.state(id) == .scheduled)
        fixture.pass(.seconds(2))
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func aLevelSetBeforeItsWaitersCounts() throws {
        fixture.set(.ownForeground, true)
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(fixture.state(id) == .scheduled)
    }

    @Test
    mutating func aFallingLevelHoldsWhatIsScheduledAndReady() throws {
        fixture.set(.ownForeground, true)
        let ready = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        fixture.pass(.seconds(2))
        let scheduled = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        let other = try fixture.submit().id
        fixture.set(.ownForeground, false)
        #expect(fixture.state(ready) == .held)
        #expect(fixture.state(scheduled) == .held)
        #expect(fixture.state(other) == .scheduled)
        #expect(fixture.changes == [.held, .held])
        #expect(fixture.lease(9).isEmpty)
        fixture.set(.ownForeground, true)
        #expect(fixture.state(ready) == .ready)
        #expect(fixture.state(scheduled) == .scheduled)
    }

    @Test
    mutating func theCredentialHoldsFirstThenTheCondition() throws {
        let id = try fixture.submit(
            Fixture.Order(credential: "oauth:alice", verdict: .foreground)
        ).id
        fixture.set(.ownCredential(), false)
        guard case .credentialHeld = fixture.core.view(id, now: fixture.now)?.reason else {
            Issue.record("not held for its credential")
            return
        }
        // Both change while it is held for the other one.
        fixture.set(.ownForeground, true)
        fixture.set(.ownForeground, false)
        #expect(fixture.changes == [])
        #expect(fixture.set(.ownCredential(), true) == 1)
        #expect(fixture.state(id) == .held)
        guard case .signal = fixture.core.view(id, now: fixture.now)?.reason else {
            Issue.record("not held for its condition")
            return
        }
        #expect(fixture.set(.ownForeground, true) == 1)
        #expect(fixture.state(id) == .scheduled)
        // A condition is found in the lists of credentials when it falls.
        fixture.set(.ownForeground, false)
        #expect(fixture.state(id) == .held)
    }

    @Test
    mutating func holdsEndAfterMaxHoldFromTheLaterOfTimeAndLevel() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        #expect(
            fixture.core.view(id, now: fixture.now)?.reason.until
                == fixture.now.instant + .seconds(2) + .days(7))
        fixture.pass(.days(1))
        fixture.set(.ownForeground, true)
        fixture.pass(.days(1))
        fixture.set(.ownForeground, false)
        let until = fixture.core.view(id, now: fixture.now)?.reason.until
        #expect(until == fixture.now.instant + .days(7))
        fixture.pass(.days(7))
        #expect(fixture.state(id) == .parked)
        #expect(try fixture.record(id).cause == .heldTooLong)
        #expect(fixture.changes == [.parked(.heldTooLong)])
    }

    @Test
    mutating func releasesInTheOrderInWhichTheyCame() throws {
        var ids: [OperationID] = []
        for _ in 0..<5 {
            ids.append(try fixture.submit(Fixture.Order(verdict: .foreground)).id)
        }
        #expect(fixture.set(.ownForeground, true) == 5)
        let changed = fixture.effects.all.compactMap { effect in
            if case .changed(let id, .scheduled) = effect { id } else { nil }
        }
        #expect(changed == ids)
    }
}
