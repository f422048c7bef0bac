import RetryModel

/// The form of an `OperationRecord` on disk.
///
/// One blob in place of 25 columns costs half the time to write. Everything that changes after
/// the operation was taken in has a fixed place, so that an update finds a row of its own size
/// and overwrites it where it is: SQLite then neither moves cells nor splits pages. Key and
/// deadline never change and take room only where there are any.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 1 | version of this layout |
/// | 1, 2, 3 | 1 each | state, cause, priority |
/// | 4 | 2 | flags |
/// | 6, 7, 8 | 1 each | recoveries, rule repeats, foreground repeats |
/// | 9 | 1 | size of what is kept, 0 in a record of before sizes were noted |
/// | 10, 12, 14, 16 | 2 each | attempts, deferrals, rule, policy |
/// | 18, 22, 26, 30 | 4 each | lane, previous delay, token, condition |
/// | 34, 42, 50, 58 | 8 each | due, due by the wall clock, first failure, since |
/// | 66 | 36 | lease: user, process, start ticks, visibility, start, credential generation |
/// | 102 | 8 | first failure on the time line; 0: not known |
/// | 110 | 8 | key hash, when flagged |
/// | then | 8 | deadline, when flagged |
///
/// All integers are little-endian. The operation's id is the row's key.
enum PackedRecord {
    static let version: UInt8 = 2
    static let fixedBytes = 110
    /// Version 1 had no first failure on the time line.
    private static let fixedBytesOfVersion1 = 102
    static let bytesMax = fixedBytes + 16

    private struct Flags: OptionSet {
        var rawValue: UInt16

        static let isIdempotent = Flags(rawValue: 1 << 0)
        static let isNotIdempotent = Flags(rawValue: 1 << 1)
        static let retriesUnknown = Flags(rawValue: 1 << 2)
        static let hasDueWall = Flags(rawValue: 1 << 3)
        static let hasCondition = Flags(rawValue: 1 << 4)
        static let hasLease = Flags(rawValue: 1 << 5)
        static let leaseHadForeground = Flags(rawValue: 1 << 6)
        static let hasKeyHash = Flags(rawValue: 1 << 7)
        static let hasDeadline = Flags(rawValue: 1 << 8)
        static let isTokenOpen = Flags(rawValue: 1 << 9)
        static let all = Flags(rawValue: (1 << 10) - 1)
    }

    private static func flags(of record: OperationRecord) -> Flags {
        var flags: Flags = []
        if let isIdempotent = record.isIdempotent {
            flags.insert(isIdempotent ? .isIdempotent : .isNotIdempotent)
        }
        if record.retriesUnknown { flags.insert(.retriesUnknown) }
        if record.dueWall != nil { flags.insert(.hasDueWall) }
        if record.condition != nil { flags.insert(.hasCondition) }
        if let lease = record.lease {
            flags.insert(.hasLease)
            if lease.hadForeground { flags.insert(.leaseHadForeground) }
        }
        if record.keyHash != 0 { flags.insert(.hasKeyHash) }
        if record.deadline != nil { flags.insert(.hasDeadline) }
        if record.isTokenOpen { flags.insert(.isTokenOpen) }
        return flags
    }

    static func length(of record: OperationRecord) -> Int {
        fixedBytes + (record.keyHash != 0 ? 8 : 0) + (record.deadline != nil ? 8 : 0)
    }

    /// Writes `length(of: record)` bytes.
    static func write(_ record: OperationRecord, to base: UnsafeMutableRawPointer) {
        func put<Value: FixedWidthInteger>(_ value: Value, _ offset: Int) {
            base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        }
        put(version, 0)
        put(record.state.rawValue, 1)
        put(record.cause.rawValue, 2)
        put(record.priority, 3)
        put(flags(of: record).rawValue, 4)
        put(record.recoveries, 6)
        put(record.ruleRepeats, 7)
        put(record.foregroundRepeats, 8)
        put(record.size.rawValue, 9)
        put(record.attempts, 10)
        put(record.deferrals, 12)
        put(record.rule, 14)
        put(record.policy, 16)
        put(record.lane, 18)
        put(record.previousDelayMs, 22)
        put(record.token.rawValue, 26)
        put(record.condition ?? 0, 30)
        put(record.due.usec, 34)
        put(record.dueWall?.usec ?? 0, 42)
        put(record.firstFailure.usec, 50)
        put(record.since.usec, 58)
        put(record.lease?.holder.user ?? 0, 66)
        put(record.lease?.holder.process ?? 0, 70)
        put(record.lease?.holder.startTicks ?? 0, 74)
        put(record.lease?.visibility.usec ?? 0, 82)
        put(record.lease?.startedAt.usec ?? 0, 90)
        put(record.lease?.credentialGeneration ?? 0, 98)
        put(record.firstFailedAt?.usec ?? 0, 102)
        var end = fixedBytes
        if record.keyHash != 0 {
            put(record.keyHash, end)
            end += 8
        }
        if let deadline = record.deadline {
            put(deadline.usec, end)
        }
    }

    static func read(
        id: OperationID, _ bytes: UnsafeRawBufferPointer
    ) throws(ByteReader.Malformed) -> OperationRecord {
        guard let first = bytes.first, first == version || first == 1 else {
            throw ByteReader.Malformed()
        }
        let fixedBytes = first == 1 ? fixedBytesOfVersion1 : fixedBytes
        guard bytes.count >= fixedBytes else { throw ByteReader.Malformed() }
        func get<Value: FixedWidthInteger>(_ offset: Int) -> Value {
            Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
        }
        let flags = Flags(rawValue: get(4))
        let hasKeyHash = flags.contains(.hasKeyHash)
        let hasDeadline = flags.contains(.hasDeadline)
        guard let state = OperationState(rawValue: bytes[1]), let cause = Cause(rawValue: bytes[2]),
            flags.isSubset(of: .all),
            bytes.count == fixedBytes + (hasKeyHash ? 8 : 0) + (hasDeadline ? 8 : 0)
        else { throw ByteReader.Malformed() }

        var record = OperationRecord(
            id: id, lane: get(18), firstFailure: WallTime(usec: get(50)),
            due: Instant(usec: get(34)))
        if first != 1, get(102) != 0 { record.firstFailedAt = Instant(usec: get(102)) }
        record.state = state
        record.cause = cause
        record.priority = get(3)
        if flags.contains(.isIdempotent) { record.isIdempotent = true }
        if flags.contains(.isNotIdempotent) { record.isIdempotent = false }
        record.retriesUnknown = flags.contains(.retriesUnknown)
        record.isTokenOpen = flags.contains(.isTokenOpen)
        record.recoveries = get(6)
        record.ruleRepeats = get(7)
        record.foregroundRepeats = get(8)
        record.size = StoredSize(rawValue: get(9))
        record.attempts = get(10)
        record.deferrals = get(12)
        record.rule = get(14)
        record.policy = get(16)
        record.previousDelayMs = get(22)
        record.token = LeaseToken(rawValue: get(26))
        if flags.contains(.hasCondition) { record.condition = get(30) }
        if flags.contains(.hasDueWall) { record.dueWall = WallTime(usec: get(42)) }
        record.since = WallTime(usec: get(58))
        if flags.contains(.hasLease) {
            record.lease = LeaseRecord(
                holder: LeaseHolder(user: get(66), process: get(70), startTicks: get(74)),
                visibility: Span(usec: get(82)), startedAt: WallTime(usec: get(90)),
                credentialGeneration: get(98),
                hadForeground: flags.contains(.leaseHadForeground))
        }
        if hasKeyHash { record.keyHash = get(fixedBytes) }
        if hasDeadline {
            record.deadline = WallTime(usec: get(fixedBytes + (hasKeyHash ? 8 : 0)))
        }
        return record
    }
}
