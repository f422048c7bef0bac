import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// Batches are stored whole or not at all, and a store that cannot be written says so.
@Suite
struct StoreWriterTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A store that refuses operation 666, as a disk might refuse anything.
    private var refusing: Schema {
        var schema = Schema.current
        schema.creation += """

            CREATE TRIGGER refusal BEFORE INSERT ON operation WHEN new.id = 666
            BEGIN SELECT raise(ABORT, 'not this one'); END;
            """
        return schema
    }

    @Test
    func aBatchThatFailsLeavesNothing() throws {
        let store = try Store(directory: directory.path, schema: refusing)
        try store.start()
        try store.commit { batch in batch.add(1, Body("one")) }
        let failed = try store.carryOut { batch in
            batch.add(2, Body("two"))
            batch.saveLane(1, Lane(owner: 1, group: 1, queue: "q", kind: .custom, scope: "user:1"))
            batch.remove(OperationID(rawValue: 1))
            batch.reserveIDs(through: 99)
            batch.save(.sample(666))
            batch.add(3, Body("three"))
            batch.read(ReadRequest(tag: 1, .body, of: OperationID(rawValue: 1)))
            batch.read(ReadRequest(tag: 2, .body, of: OperationID(rawValue: 2)))
        }
        #expect(failed.error?.description.contains("not this one") == true)
        // Reads go on, and see what is stored.
        var seen: [UInt64: String] = [:]
        failed.forEachRead { result in
            switch result.content {
            case .body(let parts): seen[result.tag] = String(decoding: parts.payload, as: UTF8.self)
            case .missing: seen[result.tag] = "missing"
            case .failure, .attempts, .failed: Issue.record("a body was asked for")
            }
        }
        #expect(seen == [1: "one", 2: "missing"])
        store.stop()
        let recovered = try store.recovered()
        #expect(recovered.ids == [1])
        #expect(recovered.lanes.isEmpty)
        #expect(recovered.facts?.idsReservedThrough == 1)
    }

    @Test
    func afterAFailureWritesAreRefusedUntilAProbeWorks() throws {
        try Store.with(directory.path, schema: refusing) { store in
            let first = try #require(try store.carryOut { $0.save(.sample(666)) }.error)
            #expect(try store.carryOut { $0.add(1, Body("one")) }.error == first)
            #expect(try store.body(1) == nil)
            store.probe()
            let probe = try store.awaitCompletion(.probe)
            #expect(probe.error == nil)
            #expect(probe.sequence == 0)
            try store.commit { $0.add(1, Body("one")) }
            #expect(try store.body(1) == Body("one"))
        }
    }

    /// Bodies of a batch that failed must not count as there for those of the next.
    @Test
    func aFailedBatchDoesNotMoveTheTopOfTheBodies() throws {
        try Store.with(directory.path, schema: refusing) { store in
            _ = try store.carryOut { batch in
                for id in Int64(1)...5 { batch.add(id, Body("lost")) }
                batch.save(.sample(666))
            }
            store.probe()
            _ = try store.awaitCompletion(.probe)
            try store.commit { batch in for id in Int64(1)...5 { batch.add(id, Body("b\(id)")) } }
            #expect(try store.body(4) == Body("b4"))
        }
        let database = try Database(path: databasePath, mayCreate: false)
        #expect(try database.integer("SELECT count(*) FROM body") == 1)
        #expect(try database.integer("SELECT count(*) FROM body_override") == 0)
    }

    // MARK: Crashes

    /// What the disk has between two commits is what was acknowledged by then: copies of the
    /// files, taken while the store is open, are what a killed daemon leaves.
    @Test
    func everyCommitStandsInACopyOfTheFiles() throws {
        try Store.with(directory.path) { store in
            for round in Int64(0)..<8 {
                try store.commit { batch in
                    for id in (round * 10 + 1)...(round * 10 + 10) { batch.add(id, Body("b\(id)")) }
                }
                let copy = try TemporaryDirectory()
                try copyFiles(to: copy.path)
                #expect(try Store.recovered(copy.path).ids == Array(1...(round * 10 + 10)))
                let id = round * 10 + 7
                #expect(try Store.body(id, in: copy.path) == Body("b\(id)"))
            }
        }
    }

    /// Two commits by a writer of this thread, and where in the log the second lies.
    private func twoCommits() throws -> (writer: StoreWriter, second: Range<Int>) {
        let writer = try StoreWriter(
            database: try StoreFile.open(directory: directory.path, schema: .current))
        // The header of the log has 32 bytes, that of a page 24 (fileformat2.html, section 4.1).
        func logLength() -> Int { 32 + writer.log.pages * (24 + StoreTuning.pageBytes) }
        try commit(writer, 1...20)
        let start = logLength()
        try commit(writer, 21...90)
        return (writer, start..<logLength())
    }

    private func commit(_ writer: StoreWriter, _ ids: ClosedRange<Int64>) throws {
        var batch = StoreBatch(sequence: 1)
        for id in ids { batch.add(id, Body("b\(id)")) }
        batch.closeChunk()
        if case .failed(let error) = writer.carryOut(&batch) { throw error }
    }

    /// A commit that was being written when the power went is gone whole; those before stand.
    @Test
    func aTornCommitIsGoneWhole() throws {
        let (writer, second) = try twoCommits()
        #expect(second.count > 3 * StoreTuning.pageBytes)
        try withExtendedLifetime(writer) {
            for length in stride(from: second.lowerBound, to: second.upperBound, by: 2_777) {
                let copy = try TemporaryDirectory()
                try copyFiles(to: copy.path, logBytesMax: length)
                #expect(try Store.recovered(copy.path).ids == Array(1...20))
            }
            let copy = try TemporaryDirectory()
            try copyFiles(to: copy.path, logBytesMax: second.upperBound)
            #expect(try Store.recovered(copy.path).ids == Array(1...90))
        }
    }

    /// The log's checksums tell a commit whose bytes are not those that were written.
    @Test
    func aDamagedCommitIsGoneWhole() throws {
        let copy = try TemporaryDirectory()
        let (writer, second) = try twoCommits()
        try withExtendedLifetime(writer) { try copyFiles(to: copy.path) }
        let log = "\(copy.path)/\(StoreFile.databaseName)-wal"
        var bytes = try Files.readAll(log, bytesMax: 1 << 20)
        bytes[second.lowerBound + 5_000] ^= 1
        try Files.writeAtomically(log, bytes, mode: 0o600)
        #expect(try Store.recovered(copy.path).ids == Array(1...20))
    }

    private var databasePath: String { "\(directory.path)/\(StoreFile.databaseName)" }

    private func copyFiles(to target: String, logBytesMax: Int = .max) throws {
        let copy = "\(target)/\(StoreFile.databaseName)"
        try copyFile(databasePath, to: copy)
        try copyFile("\(databasePath)-wal", to: "\(copy)-wal", bytesMax: logBytesMax)
    }

    // MARK: Disks

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting a file system is not permitted here"))
    func aFullDiskIsToldAndSurvived() throws {
        let disk = try SmallDisk(kibibytes: 2_048)
        let store = try Store(directory: disk.path)
        try store.start()
        let body = Body(String(repeating: "x", count: 10_000))
        var acknowledged: [Int64] = []
        var failures: [StoreError] = []
        var probe: StoreError?
        // A probe copies the log back, which makes room for some more; then there is none.
        for id in Int64(1)...2_000 where probe == nil {
            let completion = try store.carryOut { $0.add(id, body) }
            guard let failure = completion.error else {
                acknowledged.append(id)
                continue
            }
            failures.append(failure)
            #expect(try store.carryOut { $0.add(3_000, body) }.error == failure)
            #expect(try store.body(3) == body)
            store.probe()
            probe = try store.awaitCompletion(.probe).error
        }
        #expect(failures.allSatisfy { $0.kind == .full })
        #expect(probe?.kind == .full)
        #expect(acknowledged.count > 20)
        // The core is rebuilt from the store in this state.
        store.stop()
        #expect(try store.recovered().ids == acknowledged)
        try store.start()

        try disk.resize(kibibytes: 16_384)
        store.probe()
        #expect(try store.awaitCompletion(.probe).error == nil)
        try store.commit { $0.add(3_000, body) }
        store.stop()
        #expect(try store.recovered().ids == acknowledged + [3_000])
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting a file system is not permitted here"))
    func aStoreOnAReadOnlyDiskIsRefused() throws {
        let disk = try SmallDisk(kibibytes: 4_096)
        try Store.with(disk.path) { store in try store.commit { $0.add(1, Body("x")) } }
        try disk.makeReadOnly(kibibytes: 4_096)
        do {
            _ = try Store(directory: disk.path)
            Issue.record("a store that cannot be written was opened")
        } catch {
            #expect(
                error.description == "open \(disk.path)/retryd.lock: Read-only file system; "
                    + "the daemon needs to read and write its state directory")
        }
    }
}
