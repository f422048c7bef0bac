import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

@Suite
struct StoreWriterRecoveryTests {
    /// Counts, so that the time is the store's and not the test's.
    private struct Counter: StoreVisitor {
        var count = 0
        var lastID: Int64 = 0

        mutating func facts(_ facts: StoreFacts) {}
        mutating func rule(_ index: RuleIndex, name: String, packHash: UInt64) {}
        mutating func policyName(_ index: PolicyIndex, _ name: String) {}
        mutating func lane(_ index: LaneIndex, _ lane: Lane) {}
        mutating func destination(_: DestinationIndex, _: DestinationRecord) {}
        mutating func pause(_: PauseIndex, _: PauseRecord) {}
        mutating func signal(_ index: SignalIndex, _ signal: SignalRecord) {}
        mutating func event(_ hash: UInt64, _ id: OperationID, until: Instant?) {}
        mutating func operation(_ record: OperationRecord) {
            count += 1
            lastID = record.id.rawValue
        }
    }

    @Test
    func manyOperationsComeBackInATimeThatCanBeWaitedFor() throws {
        let total: Int64 = 100_000
        let directory = try TemporaryDirectory()
        try Store.with(directory.path) { store in
            for start in stride(from: Int64(0), to: total, by: 5_000) {
                try store.commit { batch in
                    for id in (start + 1)...(start + 5_000) { batch.save(.sample(id)) }
                }
            }
        }
        let store = try Store(directory: directory.path)
        var counter = Counter()
        let start = Clocks.monotonicUsec()
        try store.recover(into: &counter)
        let usec = Clocks.monotonicUsec() - start
        print("recovery of \(total) operations: \(usec / 1_000) ms")
        #expect(counter.count == total)
        #expect(counter.lastID == total)
        // An optimised build takes 25 ms; this bound only finds what grows with the square.
        #expect(usec < 10_000_000)
    }

    @Test(arguments: [
        ("UPDATE operation SET record = x'01' WHERE id = 2", "the record of operation 2"),
        ("UPDATE lane SET kind = 9", "lane 1"),
        ("UPDATE lane SET owner = -1", "owner of a lane (-1)"),
        ("UPDATE signal SET kind = 4", "signal 0"),
        ("UPDATE signal SET generation = 4294967296", "generation of a signal (4294967296)"),
        ("INSERT INTO rule VALUES (65536, 'r', 0)", "rule (65536)"),
    ])
    func whatThisProgramNeverWritesIsNamed(sql: String, place: String) throws {
        let directory = try TemporaryDirectory()
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.save(.sample(1))
                batch.save(.sample(2))
                batch.saveLane(
                    1, Lane(owner: 1, group: 1, queue: "q", kind: .custom, scope: "user:1"))
                batch.saveSignal(
                    0,
                    SignalRecord(
                        name: .network, isOn: true, setter: 0, changedAt: Instant(usec: 0),
                        changedAtWall: WallTime(usec: 0)))
            }
        }
        do {
            let database = try Database(
                path: "\(directory.path)/\(StoreFile.databaseName)", mayCreate: false)
            try database.execute(sql)
        }
        let store = try Store(directory: directory.path)
        var counter = Counter()
        do {
            try store.recover(into: &counter)
            Issue.record("what cannot be read was read")
        } catch {
            #expect(error.kind == .corrupt)
            #expect(
                error.description == "store: its content is damaged (\(place) is malformed)")
        }
    }
}
