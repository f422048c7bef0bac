import RetryModel
import Support
import Testing

@testable import RetryStore

@Suite
struct StoreBatchTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test
    func countsWhatItHolds() {
        var batch = StoreBatch(sequence: 4)
        #expect(batch.isEmpty)
        batch.read(ReadRequest(tag: 1, .body, of: OperationID(rawValue: 1)))
        #expect(!batch.isEmpty)
        #expect(batch.readCount == 1)
        #expect(batch.writeCount == 0)
        batch.add(1, Body("xyz"))
        #expect(batch.writeCount == 2)
        #expect(batch.byteCount == 1 + 8 + 2 + PackedRecord.fixedBytes + BodyEntry.headBytes + 3)
        batch.clear(sequence: 5)
        #expect(batch.isEmpty)
        #expect(batch.sequence == 5)
        #expect(batch.byteCount == 0)
    }

    @Test
    func nothingOfAnEarlierBatchIsLeft() throws {
        try Store.with(directory.path) { store in
            let first = try store.commit { batch in
                batch.add(1, Body("one"))
                batch.read(ReadRequest(tag: 1, .body, of: OperationID(rawValue: 1)))
            }
            store.recycle(first.batch)
            let second = try store.commit { batch in batch.add(2, Body("two")) }
            second.forEachRead { _ in Issue.record("an earlier batch's read came back") }
            #expect(try store.body(1) == Body("one"))
            #expect(try store.body(2) == Body("two"))
        }
        #expect(try Store.recovered(directory.path).ids == [1, 2])
    }

    /// A batch of many bodies goes to disk in rows of bounded size.
    @Test
    func bodiesShareRows() throws {
        let body = Body(String(repeating: "x", count: 1_000))
        try Store.with(directory.path) { store in
            try store.commit { batch in for id in Int64(1)...100 { batch.add(id, body) } }
        }
        let database = try Database(path: databasePath, mayCreate: false)
        let length = 1_000 + BodyEntry.headBytes
        let perRow = Int64(StoreTuning.chunkBytesMax / length)
        #expect(try database.integer("SELECT count(*) FROM body") == (100 + perRow - 1) / perRow)
        let longest = try database.integer("SELECT max(length(chunk)) FROM body")
        #expect(longest == perRow * Int64(length))
        #expect(try database.integer("SELECT sum(entries) FROM body") == 100)
    }

    @Test
    func aBodyLargerThanARowIsARow() throws {
        var large = Body()
        large.form = .bytes
        large.payload = [UInt8](repeating: 3, count: Limits.payloadBytesMax)
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.add(1, Body("a"))
                batch.add(2, large)
                batch.add(3, Body("b"))
            }
            #expect(try store.body(1) == Body("a"))
            #expect(try store.body(2) == large)
            #expect(try store.body(3) == Body("b"))
        }
        let database = try Database(path: databasePath, mayCreate: false)
        #expect(try database.integer("SELECT count(*) FROM body") == 3)
    }

    /// What one batch says about one operation takes effect in the order in which it is said.
    @Test
    func orderHolds() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.add(1, Body("one"))
                batch.add(2, Body("two"))
                batch.replaceBody(1, Body("uno"))
                batch.add(3, Body("three"))
                batch.remove(OperationID(rawValue: 2))
                batch.replaceBody(1, Body("eins"))
            }
            #expect(try store.body(1) == Body("eins"))
            #expect(try store.body(3) == Body("three"))
        }
        #expect(try Store.recovered(directory.path).ids == [1, 3])
    }

    @Test
    func bodiesMayComeOutOfOrder() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in
                for id in [Int64(10), 30, 20, 20, 40] { batch.saveBody(id, Body("a\(id)")) }
            }
            try store.commit { batch in
                for id in [Int64(5), 15, 50] { batch.saveBody(id, Body("b\(id)")) }
            }
            for id in [Int64(10), 20, 30, 40] { #expect(try store.body(id) == Body("a\(id)")) }
            for id in [Int64(5), 15, 50] { #expect(try store.body(id) == Body("b\(id)")) }
            for id in [Int64(1), 11, 35, 60] { #expect(try store.body(id) == nil) }
        }
    }

    private var databasePath: String { "\(directory.path)/\(StoreFile.databaseName)" }
}
