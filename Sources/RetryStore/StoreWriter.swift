import CSQLite
import RetryModel
import SystemKit

/// Carries out batches on the connection. It belongs to one thread at a time, as the connection.
final class StoreWriter {
    let database: Database
    let statements: StoreStatements
    /// Why writes are refused: the last one failed and no probe has worked since.
    var refusal: StoreError?
    /// The largest id in a row of `body`; rows never overlap, because later ones start above it.
    var bodyTop: Int64
    /// Something is in `body_override`, or was since the store was opened.
    var hasOverrides: Bool
    /// Rows in `body_purge`, at most: marking a row twice counts twice.
    var purgeBacklog: Int64
    /// The row of `body` that was marked last, so that its other entries need no look-up.
    var purgeMarked: ClosedRange<Int64>?
    let log = LogLength()
    /// While reads are carried out: the chunk that was read last.
    var chunkCursor: ChunkCursor?

    init(database: Database) throws(DatabaseError) {
        self.database = database
        statements = try StoreStatements(database)
        bodyTop = try database.integer("SELECT last FROM body ORDER BY first DESC LIMIT 1")
        let overrides = "SELECT EXISTS (SELECT 1 FROM body_override WHERE id > 0)"
        hasOverrides = try database.integer(overrides) != 0
        purgeBacklog = try database.integer("SELECT count(*) FROM body_purge")
        sqlite3_wal_hook(
            database.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue()
                    .pages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(log).toOpaque())
    }

    deinit {
        // The connection may outlive the writer by a statement; the hook must not.
        sqlite3_wal_hook(database.handle, nil, nil)
    }

    /// Writes, syncs, reads. The batch's results are in it afterwards.
    func carryOut(_ batch: inout StoreBatch) -> StoreCompletion.Outcome {
        let outcome = batch.writeCount == 0 ? .committed : store(batch)
        readAll(batch.requests, into: &batch.results)
        return outcome
    }

    /// Writes and syncs as much as a large batch may need, and takes it away again, to see whether
    /// the store can be written: were it less, writing would begin again just to fail.
    func probe() -> StoreCompletion.Outcome {
        // Where the log cannot grow, copying it back makes room in it. A failure to do so shows
        // again at the write.
        try? checkpoint()
        let outcome = transact { () throws(DatabaseError) in
            try statements.saveProbe.run()
        }
        if case .failed = outcome { return outcome }
        return transact { () throws(DatabaseError) in
            statements.removeOverride.bind(StoreTuning.probeID, at: 1)
            try statements.removeOverride.run()
        }
    }

    private func store(_ batch: StoreBatch) -> StoreCompletion.Outcome {
        if let refusal { return .failed(refusal) }
        let commands = batch.commands
        let bodies = batch.bodies
        return transact { () throws(DatabaseError) in
            try commands.withBytes { commands throws(DatabaseError) in
                try bodies.withBytes { bodies throws(DatabaseError) in
                    try carryOut(commands, bodies)
                }
            }
        }
    }

    /// Runs `body` in a transaction and syncs it. When that fails everything is as before, and
    /// writes are refused from then on; when it works, they no longer are.
    func transact(
        _ body: () throws(DatabaseError) -> Void
    ) -> StoreCompletion.Outcome {
        let top = bodyTop
        let backlog = purgeBacklog
        do {
            try statements.begin.run()
            try body()
            try statements.commit.run()
            refusal = nil
            return .committed
        } catch {
            database.rollBack()
            bodyTop = top
            purgeBacklog = backlog
            purgeMarked = nil
            let reason = StoreError(error)
            refusal = reason
            return .failed(reason)
        }
    }
}
