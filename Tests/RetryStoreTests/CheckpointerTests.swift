import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

@Suite
struct CheckpointerTests {
    private let directory: TemporaryDirectory
    private let writer: StoreWriter
    private let checkpointer: Checkpointer

    init() throws {
        directory = try TemporaryDirectory()
        writer = try StoreWriter(
            database: try StoreFile.open(directory: directory.path, schema: .current))
        checkpointer = try Checkpointer(
            path: "\(directory.path)/\(StoreFile.databaseName)", log: writer.log)
    }

    private func commit(_ ids: ClosedRange<Int64>) throws {
        var batch = StoreBatch(sequence: 1)
        for id in ids { batch.save(.sample(id)) }
        if case .failed(let error) = writer.carryOut(&batch) { throw error }
    }

    private func waitForEnd() -> Bool {
        for _ in 0..<6_000 {
            if checkpointer.hasEnded { return true }
            Clocks.sleep(ms: 10)
        }
        return false
    }

    private func withThread(_ body: () throws -> Void) throws {
        let checkpointer = checkpointer
        let thread = try Thread.spawn(name: "checkpoint") { checkpointer.run() }
        defer {
            checkpointer.stop()
            thread.join()
        }
        try body()
    }

    @Test
    func copiesTheLogSoThatItBeginsAnew() throws {
        try commit(1...5_000)
        let pages = writer.log.pages
        #expect(pages > 100)
        try withThread {
            checkpointer.begin()
            #expect(!checkpointer.isResting)
            try #require(waitForEnd())
            try checkpointer.takeEnd()
            #expect(checkpointer.isResting)
            try writer.checkpoint()
            #expect(writer.log.pages == 0)
            try commit(5_001...5_001)
            #expect(writer.log.pages < 10)
        }
    }

    /// Commits go on while it copies, and all of them stand.
    @Test
    func hindersNoCommit() throws {
        try commit(1...20_000)
        try withThread {
            checkpointer.begin()
            for id in Int64(20_001)...20_200 { try commit(id...id) }
            try #require(waitForEnd())
            try checkpointer.takeEnd()
        }
        var recovered = Recovered()
        try writer.recover(into: &recovered)
        #expect(recovered.ids == Array(1...20_200))
    }

    @Test
    func anErrorIsItsEnd() throws {
        let lost = try Checkpointer(path: "\(directory.path)/missing/x", log: writer.log)
        let thread = try Thread.spawn(name: "checkpoint") { lost.run() }
        lost.begin()
        for _ in 0..<6_000 where !lost.hasEnded { Clocks.sleep(ms: 10) }
        #expect(throws: DatabaseError.self) { try lost.takeEnd() }
        #expect(lost.isResting)
        lost.stop()
        thread.join()
    }

    @Test
    func stopsWithoutHavingWorked() throws {
        try withThread {}
    }
}
