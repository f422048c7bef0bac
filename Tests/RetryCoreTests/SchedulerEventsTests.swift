import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerEventsTests {
    private var fixture = Fixture()

    private mutating func told(_ verdict: Verdict = .again, _ event: UInt64) throws -> OperationID {
        try fixture.submit(Fixture.Order(eventHash: event, verdict: verdict)).id
    }

    @Test
    mutating func theFirstTellerIsRemembered() throws {
        let id = try told(.again, 5)
        #expect(fixture.core.operation(ofEvent: 5) == id)
        #expect(fixture.effects.all.contains(.saveEvent(hash: 5, id, until: nil)))
        _ = try told(.again, 5)
        #expect(fixture.core.operation(ofEvent: 5) == id)
        #expect(fixture.core.operation(ofEvent: 6) == nil)
        _ = try told(.again, 0)
        #expect(fixture.core.operation(ofEvent: 0) == nil)
    }

    @Test
    mutating func reportsTellEventsToo() throws {
        let id = try told(.again, 1)
        for event in 2...4 as ClosedRange<UInt64> {
            fixture.pass(.hours(1))
            try fixture.report(fixture.lease()[0], .again, eventHash: event)
        }
        #expect((1...4).map { fixture.core.operation(ofEvent: $0) } == [id, id, id, id])
    }

    /// Ended ones are kept a day themselves: their events go with them.
    @Test
    mutating func anEventIsForgottenADayAfterTheEnd() throws {
        let id = try told(.again, 5)
        fixture.pass(.days(3))
        try fixture.cancel(id)
        fixture.pass(Span(usec: Span.days(1).usec - 1))
        #expect(fixture.core.operation(ofEvent: 5) == id)
        fixture.pass(Span(usec: 1))
        #expect(fixture.core.operation(ofEvent: 5) == nil)
        #expect(fixture.effects.all.contains(.removeEvent(hash: 5)))
        #expect(fixture.core.nextDue == nil)
    }

    @Test
    mutating func anEventOutlivesAnOperationThatWasRemovedEarly() throws {
        var limits = SchedulerLimits()
        limits.endedKeptMax = 0
        fixture = Fixture(limits: limits)
        let id = try told(.again, 5)
        try fixture.cancel(id)
        #expect(fixture.state(id) == nil)
        #expect(fixture.core.operation(ofEvent: 5) == id)
        let end = try #require(fixture.core.nextDue)
        #expect(end - fixture.now.instant >= .days(1))
        #expect(end - fixture.now.instant < .days(1) + .minutes(1))
        #expect(fixture.effects.all.contains(.saveEvent(hash: 5, id, until: end)))
        fixture.pass(.days(1) + .minutes(1))
        #expect(fixture.core.operation(ofEvent: 5) == nil)
        #expect(fixture.effects.all == [.removeEvent(hash: 5)])
    }

    /// It could be revived to its last day, so that is when it ends.
    @Test
    mutating func aDeadOnesEventOutlivesItByADay() throws {
        let id = try told(.never, 5)
        fixture.pass(.days(30))
        #expect(fixture.state(id) == nil)
        #expect(fixture.core.operation(ofEvent: 5) == id)
        fixture.pass(.days(1) + .minutes(1))
        #expect(fixture.core.operation(ofEvent: 5) == nil)
    }

    @Test
    mutating func theTimeIsTheConfiguredOne() throws {
        var limits = SchedulerLimits()
        limits.endedKeptMax = 0
        limits.eventKept = .hours(2)
        fixture = Fixture(limits: limits)
        try fixture.cancel(try told(.again, 5))
        fixture.pass(.hours(2) + .minutes(1))
        #expect(fixture.core.operation(ofEvent: 5) == nil)
    }

    @Test
    mutating func forgettingWakesOnceAMinute() throws {
        var limits = SchedulerLimits()
        limits.endedKeptMax = 0
        fixture = Fixture(limits: limits)
        for event in 1...20 as ClosedRange<UInt64> {
            try fixture.cancel(try told(.again, event))
            fixture.pass(.milliseconds(10))
        }
        let end = try #require(fixture.core.nextDue)
        fixture.pass(end - fixture.now.instant)
        #expect(fixture.effects.all.count == 20)
        #expect(fixture.core.nextDue == nil)
    }
}
