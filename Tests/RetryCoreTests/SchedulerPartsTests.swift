import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerPartsTests {
    /// Side tables hold nothing of an operation that is gone, also when its slot is used again.
    @Test
    func aNewOperationInheritsNothingFromItsSlot() throws {
        var limits = SchedulerLimits()
        limits.endedKeptMax = 0
        var fixture = Fixture(limits: limits)
        let date = fixture.now.wall + .hours(1)
        let first = try fixture.submit(
            Fixture.Order(
                keyHash: 4, isIdempotent: false, deadline: fixture.now.wall + .days(9),
                verdict: .again(at: date))
        ).id
        fixture.pass(.hours(2))
        _ = fixture.lease()
        try fixture.cancel(first)
        #expect(fixture.state(first) == nil)
        #expect(fixture.core.leases.isEmpty)
        #expect(fixture.core.deadlines.isEmpty)
        #expect(fixture.core.dueWalls.isEmpty)
        #expect(fixture.core.keys.count == 0)
        let second = try fixture.submit().id
        #expect(fixture.core.table.slotsUsed == 1)
        let record = try fixture.record(second)
        #expect(record.deadline == nil)
        #expect(record.dueWall == nil)
        #expect(record.lease == nil)
        #expect(record.isIdempotent == nil)
        #expect(record.keyHash == 0)
        #expect(record.token.rawValue == 0)
        #expect(!record.isTokenOpen)
    }

    @Test
    func aRecordHasItsSideTables() throws {
        var fixture = Fixture()
        let deadline = fixture.now.wall + .days(1)
        let date = fixture.now.wall + .hours(1)
        let id = try fixture.submit(
            Fixture.Order(deadline: deadline, verdict: .again(at: date))
        ).id
        let record = try fixture.record(id)
        #expect(record.deadline == deadline)
        #expect(record.dueWall.map { fixture.now.instant(of: $0) } == record.due)
    }
}
