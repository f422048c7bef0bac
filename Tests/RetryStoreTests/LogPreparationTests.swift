import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

@Suite
struct LogPreparationTests {
    private let directory: TemporaryDirectory
    private var log: String { "\(directory.path)/\(StoreFile.databaseName)-wal" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func size(_ path: String) throws -> Int64 {
        try #require(try Files.status(path)).size
    }

    @Test
    func theLogGetsItsSizeInSteps() throws {
        try Files.writeAtomically(log, [], mode: 0o600)
        var preparation = LogPreparation(path: log)
        var steps: Int64 = 0
        while !preparation.isDone {
            preparation.step()
            steps += 1
        }
        #expect(try size(log) == StoreTuning.logBytesPrepared)
        #expect(steps == StoreTuning.logBytesPrepared / Int64(StoreTuning.logBytesPerStep) + 1)
    }

    /// Commits before, between and after the steps stand, also when the log is read anew.
    @Test
    func commitsStandInALogWithZerosBehindThem() throws {
        let writer = try StoreWriter(
            database: try StoreFile.open(directory: directory.path, schema: .current))
        var preparation = LogPreparation(path: log)
        for id in Int64(1)...5 {
            var batch = StoreBatch(sequence: 1)
            batch.add(id, Body("b\(id)"))
            batch.closeChunk()
            if case .failed(let error) = writer.carryOut(&batch) { throw error }
            preparation.step()
            let copy = try TemporaryDirectory()
            let path = "\(copy.path)/\(StoreFile.databaseName)"
            try copyFile("\(directory.path)/\(StoreFile.databaseName)", to: path)
            try copyFile(log, to: "\(path)-wal")
            #expect(try Store.recovered(copy.path).ids == Array(1...id))
        }
        #expect(try size(log) >= 5 << 20)
    }

    @Test
    func aStoreThatIsClosedKeepsItsLog() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.add(1, Body("x")) }
            for _ in 0..<3_000 where try size(log) < StoreTuning.logBytesPrepared {
                Clocks.sleep(ms: 20)
            }
        }
        #expect(try size(log) >= StoreTuning.logBytesPrepared)
        #expect(try Store.recovered(directory.path).ids == [1])
        #expect(try size(log) >= StoreTuning.logBytesPrepared)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting a file system is not permitted here"))
    func aSmallDiskIsLeftAlone() throws {
        let disk = try SmallDisk(kibibytes: 64 * 1_024)
        let path = "\(disk.path)/log"
        try Files.writeAtomically(path, [1], mode: 0o600)
        var preparation = LogPreparation(path: path)
        preparation.step()
        #expect(preparation.isDone)
        #expect(try size(path) == 1)
    }
}
