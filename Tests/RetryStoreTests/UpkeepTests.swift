import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// The store looks after itself when nobody asks anything of it, and when it must.
@Suite
struct UpkeepTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/\(StoreFile.databaseName)" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Looks every 20 ms, for a minute at most.
    private func becomes(_ condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<3_000 {
            if try condition() { return true }
            Clocks.sleep(ms: 20)
        }
        return false
    }

    private func fill(_ store: Store, _ ids: ClosedRange<Int64>) throws {
        let body = Body(String(repeating: "x", count: 200_000))
        for id in ids { try store.commit { batch in batch.add(id, body) } }
    }

    /// The database alone, without its log, has everything after a quiet moment.
    @Test
    func theLogIsCopiedBackWhenNothingElseIsToDo() throws {
        try Store.with(directory.path) { store in
            let pages = Int64(StoreTuning.checkpointIdlePages)
            let count = pages * 4_096 / 200_000 + 2
            try fill(store, 1...count)
            let isCopied = try becomes {
                let copy = try TemporaryDirectory()
                try copyFile(path, to: "\(copy.path)/\(StoreFile.databaseName)")
                // A copy made in the middle may be torn.
                return (try? Store.recovered(copy.path).ids) == Array(1...count)
            }
            #expect(isCopied)
        }
    }

    /// Four times as much is written as the log may hold, without a pause.
    @Test
    func theLogDoesNotGrowUnderLoad() throws {
        let logBytesMax = Int64(StoreTuning.checkpointBusyPages) * 4_096
        let count = 4 * logBytesMax / 200_000
        try Store.with(directory.path) { store in
            try fill(store, 1...count)
            let size = try Files.status("\(path)-wal")?.size
            #expect(try #require(size) < 3 * logBytesMax)
        }
        #expect(try Store.recovered(directory.path).ids == Array(1...count))
        let database = try Database(path: path, mayCreate: false)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
    }

    @Test
    func rowsOfRemovedOperationsGoByThemselves() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in for id in Int64(1)...20 { batch.add(id, Body("x")) } }
            try store.commit { batch in
                for id in Int64(1)...20 { batch.remove(OperationID(rawValue: id)) }
            }
            let reader = try Database(path: path, mayCreate: false)
            let isGone = try becomes { try reader.integer("SELECT count(*) FROM body") == 0 }
            #expect(isGone)
        }
    }
}
