import RetryModel

/// Number of a place in the operation table. Reused; never leaves the core.
package typealias SlotNumber = UInt32

/// Marks the end of a list, an empty place of an index, a slot in no heap.
let noSlot: SlotNumber = .max

/// An operation as it lies in memory: 80 bytes.
///
/// What few operations have (a deadline, a due time on the wall clock, a lease) lies in side
/// tables of `Scheduler`; what belongs to many at once lies in the lane. Wall times are whole
/// seconds here: ages are compared with days.
struct OperationSlot {
    var id: OperationID
    var due: Instant
    var keyHash: UInt64
    var lane: LaneIndex
    /// Neighbours in the one list the operation is in: those that depend on a signal while it
    /// waits, those of its worker while leased, the dead ones, the ended ones.
    var next: SlotNumber
    var previous: SlotNumber
    /// The signal its decision asked for, plus one; 0: none.
    var conditionPlusOne: UInt32
    var token: LeaseToken
    var firstFailureSeconds: UInt32
    /// Seconds of the time line; 0: not known.
    var firstFailedAtSeconds: UInt32
    var sinceSeconds: UInt32
    var previousDelayMs: UInt32
    var attempts: UInt16
    var deferrals: UInt16
    var rule: RuleIndex
    var policy: PolicyIndex
    var recoveries: UInt8
    var ruleRepeats: UInt8
    var foregroundRepeats: UInt8
    var priority: Int8
    var state: OperationState
    var cause: Cause
    var flags: Flags
    var size: StoredSize

    struct Flags: OptionSet {
        var rawValue: UInt8

        static let idempotenceKnown = Flags(rawValue: 1)
        static let idempotent = Flags(rawValue: 2)
        static let retriesUnknown = Flags(rawValue: 4)
        static let tokenOpen = Flags(rawValue: 8)
        static let hasDeadline = Flags(rawValue: 16)
        static let hasDueWall = Flags(rawValue: 32)
        /// Held for its credential, not for its condition.
        static let heldForCredential = Flags(rawValue: 64)
        static let hasLease = Flags(rawValue: 128)
    }

    var condition: SignalIndex? {
        get { conditionPlusOne == 0 ? nil : conditionPlusOne - 1 }
        set { conditionPlusOne = newValue.map { $0 + 1 } ?? 0 }
    }

    /// When its first attempt failed.
    ///
    /// - Precondition: It is known.
    var firstFailedAt: Instant { Instant(usec: Int64(firstFailedAtSeconds) * 1_000_000) }

    mutating func begins(at now: Now) {
        firstFailureSeconds = seconds(now.wall)
        firstFailedAtSeconds = seconds(now.instant)
    }

    var isIdempotent: Bool? {
        flags.contains(.idempotenceKnown) ? flags.contains(.idempotent) : nil
    }
}

extension OperationSlot {
    /// A new operation.
    init(id: OperationID, lane: LaneIndex) {
        self.id = id
        self.lane = lane
        due = .never
        keyHash = 0
        next = noSlot
        previous = noSlot
        conditionPlusOne = 0
        token = LeaseToken(rawValue: 0)
        firstFailureSeconds = 0
        firstFailedAtSeconds = 0
        sinceSeconds = 0
        previousDelayMs = 0
        attempts = 0
        deferrals = 0
        rule = 0
        policy = 0
        recoveries = 0
        ruleRepeats = 0
        foregroundRepeats = 0
        priority = 0
        state = .scheduled
        cause = .none
        flags = []
        size = .unknown
    }

    init(_ record: OperationRecord) {
        id = record.id
        due = record.due
        keyHash = record.keyHash
        lane = record.lane
        next = noSlot
        previous = noSlot
        conditionPlusOne = record.condition.map { $0 + 1 } ?? 0
        token = record.token
        firstFailureSeconds = seconds(record.firstFailure)
        firstFailedAtSeconds = record.firstFailedAt.map { seconds($0) } ?? 0
        sinceSeconds = seconds(record.since)
        previousDelayMs = record.previousDelayMs
        attempts = record.attempts
        deferrals = record.deferrals
        rule = record.rule
        policy = record.policy
        recoveries = record.recoveries
        ruleRepeats = record.ruleRepeats
        foregroundRepeats = record.foregroundRepeats
        priority = record.priority
        state = record.state
        cause = record.cause
        size = record.size
        flags = []
        if let isIdempotent = record.isIdempotent {
            flags.insert(.idempotenceKnown)
            if isIdempotent { flags.insert(.idempotent) }
        }
        if record.retriesUnknown { flags.insert(.retriesUnknown) }
        if record.isTokenOpen { flags.insert(.tokenOpen) }
        if record.deadline != nil { flags.insert(.hasDeadline) }
        if record.dueWall != nil { flags.insert(.hasDueWall) }
        if record.lease != nil { flags.insert(.hasLease) }
    }

    /// The record without what lies in side tables.
    var bareRecord: OperationRecord {
        var record = OperationRecord(
            id: id, lane: lane, firstFailure: wallTime(firstFailureSeconds), due: due)
        record.state = state.isWaiting ? .scheduled : state
        record.cause = cause
        if firstFailedAtSeconds > 0 { record.firstFailedAt = firstFailedAt }
        record.size = size
        record.priority = priority
        record.isIdempotent = isIdempotent
        record.retriesUnknown = flags.contains(.retriesUnknown)
        record.since = wallTime(sinceSeconds)
        record.keyHash = keyHash
        record.condition = condition
        record.attempts = attempts
        record.deferrals = deferrals
        record.recoveries = recoveries
        record.ruleRepeats = ruleRepeats
        record.foregroundRepeats = foregroundRepeats
        record.rule = rule
        record.policy = policy
        record.previousDelayMs = previousDelayMs
        record.token = token
        record.isTokenOpen = flags.contains(.tokenOpen)
        return record
    }
}

/// Whole seconds since 1970, from 0 to the year 2106.
func seconds(_ time: WallTime) -> UInt32 {
    UInt32(clamping: time.usec / 1_000_000)
}

/// Whole seconds of the time line, 136 years at the most. Its first second counts as the next one:
/// 0 means that nothing is known.
func seconds(_ moment: Instant) -> UInt32 {
    max(UInt32(clamping: moment.usec / 1_000_000), 1)
}

func wallTime(_ seconds: UInt32) -> WallTime {
    WallTime(usec: Int64(seconds) * 1_000_000)
}
