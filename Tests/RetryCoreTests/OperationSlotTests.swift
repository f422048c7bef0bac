import RetryModel
import Testing

@testable import RetryCore

@Suite
struct OperationSlotTests {
    /// What the bench counts on: 1 M waiting operations in 120 MB.
    @Test
    func theSizeIsWhatTheCommentSays() {
        #expect(MemoryLayout<OperationSlot>.stride == 80)
    }

    private static func full() -> OperationRecord {
        var record = OperationRecord(
            id: OperationID(rawValue: .max), lane: 77,
            firstFailure: WallTime(usec: 1_700_000_001_000_000), due: Instant(usec: -5))
        record.firstFailedAt = Instant(usec: 4_294_967_295_000_000)
        record.state = .parked
        record.cause = .recoveries
        record.priority = -100
        record.isIdempotent = false
        record.retriesUnknown = true
        record.since = WallTime(usec: 1_700_000_002_000_000)
        record.keyHash = .max
        record.condition = 0
        record.attempts = .max
        record.deferrals = .max
        record.recoveries = .max
        record.ruleRepeats = .max
        record.foregroundRepeats = .max
        record.rule = .max
        record.policy = .max
        record.previousDelayMs = .max
        record.token = LeaseToken(rawValue: .max)
        record.isTokenOpen = true
        return record
    }

    @Test
    func aRecordComesBackAsItWas() {
        #expect(OperationSlot(Self.full()).bareRecord == Self.full())
        let plain = OperationRecord(
            id: OperationID(rawValue: 1), lane: 0, firstFailure: WallTime(usec: 0),
            due: Instant(usec: 0))
        #expect(OperationSlot(plain).bareRecord == plain)
    }

    @Test(arguments: [nil, true, false])
    func idempotenceHasThreeValues(value: Bool?) {
        var record = Self.full()
        record.isIdempotent = value
        #expect(OperationSlot(record).isIdempotent == value)
    }

    @Test(arguments: [OperationState.scheduled, .held, .ready])
    func theThreeFacesAreStoredAsOne(state: OperationState) {
        var record = Self.full()
        record.state = state
        #expect(OperationSlot(record).bareRecord.state == .scheduled)
    }

    @Test
    func sideTablesAreFlagged() {
        var record = Self.full()
        record.deadline = WallTime(usec: 1)
        record.dueWall = WallTime(usec: 2)
        record.lease = LeaseRecord(
            holder: Fixture.worker, visibility: .seconds(1), startedAt: WallTime(usec: 3),
            credentialGeneration: 0, hadForeground: false)
        let flags = OperationSlot(record).flags
        #expect(flags.isSuperset(of: [.hasDeadline, .hasDueWall, .hasLease]))
        #expect(OperationSlot(Self.full()).flags.isDisjoint(with: [.hasDeadline, .hasLease]))
    }

    @Test(arguments: [
        (-1 as Int64, 0 as UInt32), (0, 0), (999_999, 0), (1_000_000, 1),
        (Int64(UInt32.max) * 1_000_000, .max), (.max, .max), (.min, 0),
    ])
    func wallTimesAreWholeSecondsThatSaturate(usec: Int64, expected: UInt32) {
        #expect(seconds(WallTime(usec: usec)) == expected)
    }

    @Test
    func aConditionOfNumberZeroIsAnother() {
        var slot = OperationSlot(id: OperationID(rawValue: 1), lane: 0)
        #expect(slot.condition == nil)
        slot.condition = 0
        #expect(slot.condition == 0)
        slot.condition = nil
        #expect(slot.condition == nil)
    }
}
