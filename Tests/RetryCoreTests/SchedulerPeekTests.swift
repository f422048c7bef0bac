import RetryModel
import Testing

@testable import RetryCore

/// What is looked up in place agrees with what is looked at.
@Suite
struct SchedulerPeekTests {
    private var fixture = Fixture()

    @Test
    mutating func aStandingIsPartOfTheView() throws {
        let id = try fixture.submit(Fixture.Order(verdict: .foreground)).id
        let due = try fixture.record(id).due
        let held = fixture.core.peekStanding(of: id)
        #expect(held == Scheduler.Standing(state: .held, due: due))
        try fixture.cancel(id)
        let cancelled = fixture.core.peekStanding(of: id)
        #expect(cancelled == Scheduler.Standing(state: .cancelled, due: nil))
        let missing = fixture.core.peekStanding(of: OperationID(rawValue: 99))
        #expect(missing == nil)
    }

    @Test
    mutating func aRecordComesWithItsLane() throws {
        let id = try fixture.submit().id
        let view = try #require(fixture.core.view(id, now: fixture.now))
        let looked = fixture.core.peekRecord(of: id)
        let found = try #require(looked)
        #expect(found.record == view.record)
        #expect(found.lane == fixture.core.lane(view.record.lane))
        let missing = fixture.core.peekRecord(of: OperationID(rawValue: 99))
        #expect(missing == nil)
    }

    @Test
    mutating func theNextDueIsTheSame() throws {
        let none = fixture.core.peekNextDue()
        #expect(none == nil)
        let id = try fixture.submit().id
        let due = try fixture.record(id).due
        let next = fixture.core.peekNextDue()
        #expect(next == due)
        #expect(next == fixture.core.nextDue)
    }
}
