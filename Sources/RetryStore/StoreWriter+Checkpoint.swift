import CSQLite

extension StoreWriter {
    /// Copies what is left of the log back into the database. When nobody commits meanwhile that
    /// is all of it, and the next commit begins to overwrite the log from its start.
    func checkpoint() throws(DatabaseError) {
        let result = sqlite3_wal_checkpoint_v2(
            database.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard result == SQLITE_OK else {
            throw DatabaseError(handle: database.handle, code: result)
        }
        log.pages = 0
    }

    /// Makes the file smaller by some of its free pages, when they are many.
    ///
    /// - Returns: whether there may be more to do.
    func vacuumStep() throws(DatabaseError) -> Bool {
        let free = try database.integer("PRAGMA freelist_count")
        let all = try database.integer("PRAGMA page_count")
        guard free >= StoreTuning.vacuumFreePagesMin, free * 4 >= all else { return false }
        try database.execute("PRAGMA incremental_vacuum(\(StoreTuning.vacuumPagesPerStep))")
        return true
    }
}
