import RetryModel
import Support
import Testing

@testable import RetryCore

/// Inventing names fills neither the memory nor the store.
@Suite
struct SchedulerIdleNamesTests {
    private var fixture = Fixture(limits: SchedulerIdleNamesTests.limits)

    private static var limits: SchedulerLimits {
        var limits = SchedulerLimits()
        limits.endedKeptMax = 0
        return limits
    }

    @Test
    mutating func lanesNobodyUsesAreGivenBackWithAllTheyName() throws {
        fixture.checksEveryAct = false
        for number in 0..<3_000 {
            let order = Fixture.Order(
                queue: "q\(number)", destination: "d\(number)", credential: "c\(number)",
                scope: "app:\(number)",
                verdict: Verdict(
                    disposition: .retry, condition: .custom("s\(number)"), rule: 0))
            try fixture.cancel(try fixture.submit(order).id)
        }
        fixture.core.checkInvariants()
        #expect(fixture.core.lanes.count <= Limits.namesIdleMax)
        #expect(fixture.core.signals.count <= 4 * Limits.namesIdleMax)
        #expect(fixture.core.destinations.numbersInUse.count <= Limits.namesIdleMax)
        #expect(fixture.core.ready.queues.count <= Limits.namesIdleMax + 1)
        var store = StoreModel()
        store.commit(fixture.everything)
        #expect(store.lanes.count == fixture.core.lanes.count)
        #expect(store.signals.count == fixture.core.signals.count)
        fixture.restart()
        fixture.core.checkInvariants()
        #expect(fixture.core.lanes.count == store.lanes.count)
        // And all goes on.
        let id = try fixture.submit(Fixture.Order(queue: "q1", destination: "d1")).id
        fixture.pass(.seconds(2))
        #expect(fixture.lease(queue: "q1").map(\.record.id) == [id])
    }

    @Test
    mutating func levelsThatNothingWaitsForAreBounded() throws {
        fixture.checksEveryAct = false
        for number in 0..<Limits.signalsPerUserMax {
            let name = SignalName.custom(name: "\(number)", owner: 1_000)
            try fixture.core.checkRoom(for: name)
            _ = fixture.set(name, true)
        }
        #expect(throws: Refusal.quotaExceeded("signals-per-user-max")) {
            try fixture.core.checkRoom(for: .custom(name: "more", owner: 1_000))
        }
        // One that stands can be set still, and others have room.
        try fixture.core.checkRoom(for: .custom(name: "7", owner: 1_000))
        try fixture.core.checkRoom(for: .custom(name: "7", owner: 2_000))
        // Those that are off again are given back.
        for number in 0..<Limits.signalsPerUserMax {
            _ = fixture.set(.custom(name: "\(number)", owner: 1_000), false)
        }
        try fixture.core.checkRoom(for: .custom(name: "more", owner: 1_000))
        #expect(fixture.core.signals.count <= Limits.namesIdleMax)
        fixture.core.checkInvariants()
    }

    @Test
    mutating func lanesOfAUserAreBounded() throws {
        fixture.checksEveryAct = false
        for number in 0..<Limits.lanesPerUserMax {
            try fixture.submit(Fixture.Order(destination: "d\(number)"))
        }
        #expect(throws: Refusal.quotaExceeded("lanes-per-user-max")) {
            try fixture.submit(Fixture.Order(destination: "more"))
        }
        try fixture.submit(Fixture.Order(destination: "d1"))
        try fixture.submit(Fixture.Order(owner: 2_000, destination: "more"))
    }
}
