/// What became of a batch, or of something else the store thread did.
package struct StoreCompletion: Sendable {
    /// What has come to an end.
    @frozen
    package enum Kind: Sendable {
        case batch
        /// Answers `Store.probe`.
        case probe
        /// Copying the log back or clearing up failed; told only then. What is stored is safe,
        /// and the store tries again later.
        case upkeep
    }

    /// How it ended.
    package enum Outcome: Sendable {
        /// Everything is on stable storage.
        case committed
        /// Nothing of it is stored. After a failed batch later ones fail the same way until a
        /// probe works.
        case failed(StoreError)
    }

    package var kind: Kind
    /// Number of the batch; 0 for the other kinds.
    package var sequence: UInt64
    package var outcome: Outcome
    /// How long writing, syncing and reading took, in microseconds.
    package var commitUsec: Int64
    /// For `Store.recycle`.
    package var batch: StoreBatch

    /// Gives the results of the batch's reads in the order in which they were asked for. Reads
    /// are made even when the writes failed; they then see what is stored.
    package func forEachRead<Failure: Error>(
        _ body: (ReadResult) throws(Failure) -> Void
    ) throws(Failure) {
        let results = batch.results
        try results.bytes.withBytes { bytes throws(Failure) in
            for slot in results.slots {
                try body(results.result(slot, in: bytes))
            }
        }
    }
}
