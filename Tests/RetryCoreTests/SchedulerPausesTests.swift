import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerPausesTests {
    private var fixture = Fixture()
    private let queue = PauseScope(queue: "mail.send")

    @Test
    mutating func aPauseHoldsWhatWaitsAndWritesNothingForIt() throws {
        let waiting = try fixture.submit().id
        let dueNow = try fixture.submit().id
        try fixture.retry(dueNow)
        let held = try fixture.pause(queue)
        #expect(held == 2)
        let isWritten = fixture.effects.all.contains { effect in
            switch effect {
            case .save, .changed: true
            default: false
            }
        }
        #expect(!isWritten)
        let pausedBy = Reason.pausedBy(0, reason: "maintenance", until: nil)
        #expect(fixture.state(waiting) == .held)
        let due = Reason.backoffUntil(fixture.now.instant + .seconds(2))
        #expect(fixture.reasons(waiting) == [pausedBy, due])
        #expect(fixture.state(dueNow) == .held)
        #expect(fixture.reasons(dueNow) == [pausedBy])
        #expect(fixture.core.counts[.held] == 2)
        #expect(fixture.core.counts(of: 1_000)[.held] == 2)
        #expect(fixture.lease(5).isEmpty)
        // Coming due makes no difference and no noise.
        fixture.pass(.seconds(3))
        #expect(fixture.state(waiting) == .held)
        #expect(fixture.lease(5).isEmpty)
        let released = try fixture.resume(queue)
        #expect(released == 2)
        #expect(fixture.state(waiting) == .ready)
        #expect(fixture.lease(5).count == 2)
        let again = try fixture.resume(queue)
        #expect(again == nil)
    }

    @Test
    mutating func whatAnAdminPausedItsOwnerDoesNotResume() throws {
        let id = try fixture.submit().id
        let own = PauseScope(owner: 1_000)
        try fixture.pause(own, reason: "abuse")
        #expect(throws: Refusal.self) { try fixture.resume(own, by: Fixture.owner) }
        #expect(fixture.state(id) == .held)
        // One of his own stands beside it and ends alone.
        try fixture.pause(own, lasting: .seconds(1), by: Fixture.owner)
        #expect(fixture.core.pauses(visibleTo: Fixture.owner).count == 2)
        fixture.pass(.seconds(5))
        #expect(fixture.state(id) == .held)
        try fixture.pause(own, by: Fixture.owner)
        let taken = try fixture.resume(own, by: Fixture.owner)
        // The other pause holds it still.
        #expect(taken == 0)
        #expect(fixture.core.pauses(visibleTo: Fixture.owner).map(\.record.author) == [0])
        // An admin takes back all of that scope.
        try fixture.pause(own, by: Fixture.owner)
        try fixture.resume(own)
        #expect(fixture.core.pauses(visibleTo: Fixture.owner).isEmpty)
        #expect(fixture.state(id) == .ready)
    }

    @Test
    mutating func ofSeveralPausesTheOneThatEndsLastIsTheReason() throws {
        let id = try fixture.submit().id
        let queue = PauseScope(queue: "mail.send")
        try fixture.pause(queue, reason: "short", lasting: .hours(1))
        let first = Reason.pausedBy(0, reason: "short", until: fixture.now.instant + .hours(1))
        #expect(fixture.reasons(id).first == first)
        try fixture.pause(PauseScope(), reason: "for good")
        #expect(fixture.reasons(id).first == .pausedBy(0, reason: "for good", until: nil))
        try fixture.resume(PauseScope())
        #expect(fixture.reasons(id).first == first)
    }

    @Test
    mutating func eachKindOfScopeHoldsItsOwn() throws {
        let plain = try fixture.submit().id
        let mx = try fixture.submit(Fixture.Order(destination: "mx1")).id
        let alice = try fixture.submit(Fixture.Order(credential: "oauth:alice")).id
        let other = try fixture.submit(Fixture.Order(owner: 2_000, queue: "news")).id
        let scopes: [(PauseScope, [OperationID])] = [
            (PauseScope(), [plain, mx, alice, other]), (PauseScope(owner: 2_000), [other]),
            (PauseScope(queue: "mail.send"), [plain, mx, alice]),
            (PauseScope(destination: "mx1"), [mx]),
            (PauseScope(credential: "oauth:alice"), [alice]),
            (PauseScope(owner: 2_000, queue: "mail.send"), []),
        ]
        for (scope, expected) in scopes {
            try fixture.pause(scope)
            let held = [plain, mx, alice, other].filter { fixture.state($0) == .held }
            #expect(held == expected, "\(scope)")
            try fixture.resume(scope)
            #expect(fixture.core.counts[.held] == 0)
        }
    }

    @Test
    mutating func aNewLaneIsHeldToo() throws {
        try fixture.pause(PauseScope())
        let id = try fixture.submit().id
        #expect(fixture.state(id) == .held)
        #expect(fixture.changes == [.accepted, .held])
    }

    @Test
    mutating func aPauseEndsByItself() throws {
        let id = try fixture.submit().id
        try fixture.pause(queue, lasting: .minutes(1))
        let until = fixture.now.instant + .minutes(1)
        #expect(fixture.reasons(id)[0] == .pausedBy(0, reason: "maintenance", until: until))
        fixture.pass(.seconds(59))
        #expect(fixture.state(id) == .held)
        fixture.pass(.seconds(1))
        #expect(fixture.state(id) == .ready)
        #expect(fixture.core.pauses(visibleTo: Fixture.admin).isEmpty)
    }

    @Test
    mutating func twoPausesHoldUntilBothAreTakenBack() throws {
        let id = try fixture.submit().id
        try fixture.pause(queue)
        try fixture.pause(PauseScope(owner: 1_000), reason: "mine", by: Fixture.owner)
        try fixture.resume(queue)
        #expect(fixture.reasons(id)[0] == .pausedBy(1_000, reason: "mine", until: nil))
        try fixture.resume(PauseScope(owner: 1_000), by: Fixture.owner)
        #expect(fixture.state(id) == .scheduled)
    }

    @Test
    mutating func whatRunsGoesOn() throws {
        let id = try fixture.submit().id
        fixture.pass(.seconds(2))
        let grant = try #require(fixture.lease().first)
        try fixture.pause(queue)
        #expect(fixture.state(id) == .leased)
        try fixture.report(grant, .again)
        #expect(fixture.state(id) == .held)
        #expect(fixture.changes == [.attemptFailed, .held])
    }

    @Test
    mutating func aPauseOutlivesARestart() throws {
        let id = try fixture.submit().id
        try fixture.pause(queue, lasting: .hours(1))
        fixture.restart()
        #expect(fixture.state(id) == .held)
        #expect(fixture.core.pauses(visibleTo: Fixture.admin).map(\.waiting) == [1])
        try fixture.resume(queue)
        fixture.restart()
        #expect(fixture.state(id) == .scheduled)
    }

    @Test
    mutating func rightsAndBounds() throws {
        #expect(throws: Refusal.self) { try fixture.pause(queue, by: Fixture.owner) }
        #expect(throws: Refusal.self) {
            try fixture.pause(PauseScope(owner: 2_000), by: Fixture.owner)
        }
        let own = PauseScope(owner: 1_000, queue: "mail.send")
        try fixture.pause(own, by: Fixture.owner)
        #expect(fixture.core.pauses(visibleTo: Fixture.owner).map(\.record.scope) == [own])
        #expect(fixture.core.pauses(visibleTo: Fixture.stranger).isEmpty)
        for number in 1..<Limits.pausesPerUserMax {
            try fixture.pause(PauseScope(owner: 1_000, queue: "q\(number)"), by: Fixture.owner)
        }
        #expect(throws: Refusal.quotaExceeded("pauses-per-user-max")) {
            try fixture.pause(PauseScope(owner: 1_000, queue: "more"), by: Fixture.owner)
        }
        // One that is there can be changed still.
        try fixture.pause(own, reason: "longer", by: Fixture.owner)
    }
}
