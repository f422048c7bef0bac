import CSQLite

/// What the store does for itself: copying the log back, clearing up after removed operations,
/// giving free pages back. In small steps, when nobody waits for an answer.
extension StoreWriter {
    enum UpkeepDue {
        case none
        /// Once there has been nothing to do for a while.
        case whenIdle
        /// Nothing has been to do for a while, and there is more.
        case soon
    }

    var upkeepDue: UpkeepDue {
        if isUpkeepPaused || !hasUpkeep { return .none }
        return isKeepingUp ? .soon : .whenIdle
    }

    /// Waiting for a quiet moment is no longer an option.
    var isBehind: Bool {
        if isUpkeepPaused { return false }
        return logPages >= StoreTuning.checkpointBusyPages
            || purgeBacklog >= StoreTuning.purgeBacklogMax
    }

    private var hasUpkeep: Bool {
        logPages >= StoreTuning.checkpointIdlePages || purgeBacklog > 0 || mayVacuum
    }

    /// Does one step of what is due.
    func keepUp() throws(DatabaseError) {
        isKeepingUp = true
        do {
            if logPages >= StoreTuning.checkpointIdlePages {
                try checkpoint()
            } else if purgeBacklog > 0 {
                try purgeStep()
            } else if mayVacuum {
                try vacuumStep()
            }
        } catch {
            // Tried again after the next commit that works, not in a loop.
            isUpkeepPaused = true
            database.rollBack()
            throw error
        }
    }

    /// Copies the log back into the database, all of it: nobody else reads. The next commit then
    /// begins to overwrite the log from its start.
    func checkpoint() throws(DatabaseError) {
        let result = sqlite3_wal_checkpoint_v2(
            database.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard result == SQLITE_OK else {
            throw DatabaseError(handle: database.handle, code: result)
        }
        logPages = 0
    }

    /// Makes the file smaller by some of its free pages, when they are many.
    private func vacuumStep() throws(DatabaseError) {
        let free = try database.integer("PRAGMA freelist_count")
        let all = try database.integer("PRAGMA page_count")
        guard free >= StoreTuning.vacuumFreePagesMin, free * 4 >= all else {
            mayVacuum = false
            return
        }
        try database.execute("PRAGMA incremental_vacuum(\(StoreTuning.vacuumPagesPerStep))")
    }
}
