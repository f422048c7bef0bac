import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// Room of operations that are gone is given back.
@Suite
struct StoreWriterPurgeTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let writer: StoreWriter

    init() throws {
        directory = try TemporaryDirectory()
        database = try StoreFile.open(directory: directory.path, schema: .current)
        writer = try StoreWriter(database: database)
    }

    private func commit(_ fill: (inout StoreBatch) -> Void) throws {
        var batch = StoreBatch(sequence: 1)
        fill(&batch)
        batch.closeChunk()
        if case .failed(let error) = writer.carryOut(&batch) { throw error }
    }

    private func add(_ ids: ClosedRange<Int64>) throws {
        try commit { batch in for id in ids { batch.add(id, Body("body \(id)")) } }
    }

    private func remove(_ ids: some Sequence<Int64>) throws {
        try commit { batch in for id in ids { batch.remove(OperationID(rawValue: id)) } }
    }

    private func body(_ id: Int64) -> Body? {
        var batch = StoreBatch(sequence: 1)
        batch.read(ReadRequest(tag: 0, .body, of: OperationID(rawValue: id)))
        _ = writer.carryOut(&batch)
        guard let slot = batch.results.slots.first else { return nil }
        return batch.results.bytes.withBytes { bytes in
            if case .body(let parts) = batch.results.result(slot, in: bytes).content {
                Body(parts)
            } else {
                nil
            }
        }
    }

    private func count(_ table: String) throws -> Int64 {
        try database.integer("SELECT count(*) FROM \(table)")
    }

    @Test
    func everythingOfAnOperationGoes() throws {
        try commit { batch in
            batch.add(1, Body("one"))
            batch.saveAttempt(1, Attempt(failure: "a"))
            batch.replaceBody(1, Body("uno"))
        }
        try remove([1])
        for table in ["operation", "attempt", "body", "body_override", "body_purge"] {
            #expect(try count(table) == 0, "\(table)")
        }
    }

    @Test
    func aRowGoesWithItsLastOperation() throws {
        try add(1...20)
        try remove(1...19)
        #expect(try count("body") == 1)
        #expect(try count("body_purge") == 1)
        try remove([20])
        try writer.purgeStep()
        #expect(try count("body") == 0)
        #expect(try count("body_purge") == 0)
        #expect(writer.purgeBacklog == 0)
    }

    @Test
    func aRowIsWrittenAnewWhenLessThanHalfOfItLives() throws {
        try add(1...20)
        let length = try database.integer("SELECT length(chunk) FROM body")
        try remove([1, 3, 5])
        try writer.purgeStep()
        #expect(try database.integer("SELECT length(chunk) FROM body") == length)
        try remove((1...20).filter { $0 != 4 && $0 != 7 })
        try writer.purgeStep()
        #expect(try database.integer("SELECT length(chunk) FROM body") < length / 4)
        #expect(try database.integer("SELECT entries FROM body") == 2)
        #expect(try database.integer("SELECT last FROM body") == 7)
        #expect(body(4) == Body("body 4"))
        #expect(body(7) == Body("body 7"))
        #expect(body(5) == nil)
        #expect(body(20) == nil)
        // What is left goes like any other.
        try remove([4, 7])
        try writer.purgeStep()
        #expect(try count("body") == 0)
    }

    @Test
    func bodiesAfterARowWasCutStillFindTheirPlace() throws {
        try add(1...20)
        try remove(3...20)
        try writer.purgeStep()
        // Ids never come twice, but a store must not lose a body if they did.
        try add(15...25)
        #expect(body(15) == Body("body 15"))
        #expect(body(25) == Body("body 25"))
        #expect(body(2) == Body("body 2"))
    }

    @Test
    func manyRowsTakeManySteps() throws {
        for round in Int64(0)..<100 { try add((round * 2 + 1)...(round * 2 + 2)) }
        try remove((0..<100).map { $0 * 2 + 1 })
        #expect(writer.purgeBacklog == 100)
        var steps = 0
        while writer.purgeBacklog > 0 {
            try writer.purgeStep()
            steps += 1
        }
        #expect(steps == 4)
        #expect(try count("body_purge") == 0)
        #expect(try count("body") == 100)
        #expect(body(2) == Body("body 2"))
        #expect(body(200) == Body("body 200"))
    }

    /// The list of rows to look at is on disk: a killed daemon goes on where it was.
    @Test
    func theBacklogOutlivesTheProcess() throws {
        try add(1...20)
        try remove(1...20)
        let again = try StoreWriter(database: database)
        #expect(again.purgeBacklog == 1)
        try again.purgeStep()
        #expect(try count("body") == 0)
    }

    @Test
    func freePagesAreGivenBack() throws {
        let large = Body(String(repeating: "x", count: 200_000))
        try commit { batch in for id in Int64(1)...60 { batch.add(id, large) } }
        try remove(1...60)
        while writer.purgeBacklog > 0 { try writer.purgeStep() }
        let before = try database.integer("PRAGMA page_count")
        #expect(before > 2_900)
        var steps = 0
        while try writer.vacuumStep() { steps += 1 }
        #expect(steps > 5)
        #expect(try database.integer("PRAGMA page_count") < 1_100)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
    }
}
