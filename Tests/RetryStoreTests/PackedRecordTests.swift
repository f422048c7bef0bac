import RetryModel
import Testing

@testable import RetryStore

@Suite
struct PackedRecordTests {
    private func packed(_ record: OperationRecord) -> [UInt8] {
        var buffer = ByteBuffer()
        let length = PackedRecord.length(of: record)
        buffer.append(length: length) { PackedRecord.write(record, to: $0) }
        return buffer.withBytes { Array($0) }
    }

    private func unpacked(_ bytes: [UInt8], id: OperationID) throws -> OperationRecord {
        try bytes.withUnsafeBytes { try PackedRecord.read(id: id, $0) }
    }

    @Test
    func everyFieldComesBack() throws {
        let record = OperationRecord.full
        #expect(try unpacked(packed(record), id: record.id) == record)
        let plain = OperationRecord.sample(5)
        #expect(try unpacked(packed(plain), id: plain.id) == plain)
    }

    @Test
    func extremesComeBack() throws {
        var low = OperationRecord.full
        low.priority = .min
        low.due = Instant(usec: .min)
        low.dueWall = WallTime(usec: .min)
        low.firstFailure = WallTime(usec: .min)
        low.deadline = WallTime(usec: .min)
        low.condition = 0
        low.lease?.holder.process = .min
        low.lease?.visibility = Span(usec: .min)
        #expect(try unpacked(packed(low), id: low.id) == low)

        var high = OperationRecord.full
        high.priority = .max
        high.due = .never
        high.dueWall = WallTime(usec: .max)
        high.keyHash = .max
        high.attempts = .max
        high.deferrals = .max
        high.recoveries = .max
        high.rule = .max
        high.policy = .max
        high.previousDelayMs = .max
        high.token = LeaseToken(rawValue: .max)
        high.condition = .max
        high.lease?.holder.startTicks = .max
        high.lease?.credentialGeneration = .max
        #expect(try unpacked(packed(high), id: high.id) == high)
    }

    @Test(arguments: OperationState.allCases)
    func statesComeBack(state: OperationState) throws {
        var record = OperationRecord.sample(1)
        record.state = state
        #expect(try unpacked(packed(record), id: record.id) == record)
    }

    @Test(arguments: Cause.allCases)
    func causesComeBack(cause: Cause) throws {
        var record = OperationRecord.sample(1)
        record.cause = cause
        #expect(try unpacked(packed(record), id: record.id) == record)
    }

    @Test(arguments: [nil, true, false])
    func idempotenceComesBack(isIdempotent: Bool?) throws {
        var record = OperationRecord.sample(1)
        record.isIdempotent = isIdempotent
        #expect(try unpacked(packed(record), id: record.id) == record)
    }

    @Test(arguments: 0..<4)
    func optionalPartsAreIndependent(which: Int) throws {
        var record = OperationRecord.full
        if which & 1 != 0 { record.keyHash = 0 }
        if which & 2 != 0 { record.deadline = nil }
        #expect(try unpacked(packed(record), id: record.id) == record)
    }

    /// What changes after an operation was taken in never changes the length of its record.
    @Test
    func updatesKeepTheLength() {
        var bare = OperationRecord.full
        bare.lease = nil
        bare.condition = nil
        bare.dueWall = nil
        bare.isIdempotent = nil
        bare.isTokenOpen = false
        #expect(packed(bare).count == packed(.full).count)
        #expect(packed(.full).count == PackedRecord.bytesMax)
        #expect(packed(.sample(1)).count == PackedRecord.fixedBytes)
    }

    /// Stores on disk have this layout: a change of it needs another version and a migration.
    @Test
    func theLayoutStays() {
        let expected =
            "020306fdfe03" + "757677" + "78" + "7271" + "7473" + "7978" + "7b7a" + "04030201"
            + "84838281" + "94939291" + "64636261" + "2827262524232221" + "3837363534333231"
            + "1817161514131211" + "4847464544434241" + "a4a3a2a1" + "b4b3b22b"
            + "c8c7c6c5c4c3c2c1" + "0d0d0d0d0d0d0d0d" + "0e0e0e0e0e0e0e0e" + "e4e3e2e1"
            + "6867666564636261" + "f8f7f6f5f4f3f2f1" + "5857565554535251"
        #expect(packed(.full).withUnsafeBytes { $0.hex } == expected)
    }

    /// Version 1 had no first failure on the time line.
    @Test
    func recordsOfTheVersionBeforeAreRead() throws {
        var bytes = packed(.full)
        bytes.removeSubrange(102..<110)
        bytes[0] = 1
        var expected = OperationRecord.full
        expected.firstFailedAt = nil
        #expect(try unpacked(bytes, id: expected.id) == expected)
    }

    @Test
    func whatIsCutShortOrTooLongIsRefused() {
        let bytes = packed(.full)
        for count in 0..<bytes.count {
            #expect(throws: ByteReader.Malformed.self) {
                try unpacked(Array(bytes[..<count]), id: OperationRecord.full.id)
            }
        }
        #expect(throws: ByteReader.Malformed.self) {
            try unpacked(bytes + [0], id: OperationRecord.full.id)
        }
    }

    @Test(arguments: [
        (0, 3, "version"), (1, 8, "state"), (2, 255, "cause"), (5, 0xff, "flags"),
    ])
    func whatIsNotKnownIsRefused(offset: Int, value: UInt8, what: String) {
        var bytes = packed(.full)
        bytes[offset] = value
        #expect(throws: ByteReader.Malformed.self, "\(what)") {
            try unpacked(bytes, id: OperationRecord.full.id)
        }
    }
}
