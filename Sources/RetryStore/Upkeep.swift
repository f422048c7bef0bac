import SystemKit

/// What the store does for itself: copying the log back, clearing up after removed operations,
/// giving free pages back. In small steps, when nobody waits for an answer. It lives on the store
/// thread.
struct Upkeep {
    private let writer: StoreWriter
    private let checkpointer: Checkpointer
    /// A step was the last thing the store thread did.
    private var isUnderWay = false
    /// A step failed; until then, by the monotonic clock, none is tried.
    private var pausedUntilUsec: Int64 = 0
    /// There may be enough free pages to give some back.
    private var mayVacuum = true

    init(writer: StoreWriter, checkpointer: Checkpointer) {
        self.writer = writer
        self.checkpointer = checkpointer
    }

    /// How long the store thread may sleep before a step is due, if nothing else comes; nil: for
    /// ever.
    func timeoutMs() -> Int64? {
        if !isWanted { return nil }
        let pauseUsec = pausedUntilUsec - Clocks.monotonicUsec()
        if pauseUsec > 0 { return pauseUsec / 1_000 + 1 }
        return isUnderWay && checkpointer.isResting ? 0 : StoreTuning.idleMs
    }

    private var isWanted: Bool {
        writer.log.pages >= StoreTuning.checkpointIdlePages || !checkpointer.isResting
            || writer.purgeBacklog > 0 || mayVacuum
    }

    /// A batch was carried out.
    mutating func batchEnded() throws(DatabaseError) {
        isUnderWay = false
        if pausedUntilUsec > 0, Clocks.monotonicUsec() < pausedUntilUsec { return }
        do {
            if checkpointer.hasEnded {
                try finishCheckpoint()
            } else if writer.log.pages >= StoreTuning.checkpointBusyPages, checkpointer.isResting {
                checkpointer.begin()
            } else if writer.purgeBacklog >= StoreTuning.purgeBacklogMax {
                try purge()
            }
        } catch {
            throw paused(error)
        }
    }

    /// Nothing has come for as long as `timeoutMs` said.
    mutating func quietCame() throws(DatabaseError) {
        isUnderWay = true
        do {
            if checkpointer.hasEnded {
                try finishCheckpoint()
            } else if writer.log.pages >= StoreTuning.checkpointIdlePages, checkpointer.isResting {
                checkpointer.begin()
            } else if writer.purgeBacklog > 0 {
                try purge()
            } else if mayVacuum {
                mayVacuum = try writer.vacuumStep()
            }
        } catch {
            throw paused(error)
        }
    }

    private func finishCheckpoint() throws(DatabaseError) {
        try checkpointer.takeEnd()
        try writer.checkpoint()
    }

    private mutating func purge() throws(DatabaseError) {
        try writer.purgeStep()
        mayVacuum = true
    }

    private mutating func paused(_ error: DatabaseError) -> DatabaseError {
        isUnderWay = false
        pausedUntilUsec = Clocks.monotonicUsec() + StoreTuning.upkeepRetryUsec
        return error
    }
}
