import RetryModel

/// Takes the entries of operations that are gone out of the rows of `body`. A row goes when none
/// of its operations is left; it is written anew, with what is left, when that is less than half
/// of it. So an operation that stays never holds more than its own size of others' room.
extension StoreWriter {
    /// Looks at some of the rows that have lost an entry.
    func purgeStep() throws(DatabaseError) {
        try statements.begin.run()
        defer { database.rollBack() }
        let firsts = try nextPurges()
        for first in firsts {
            try purgeChunk(first)
            statements.unmarkPurge.bind(first, at: 1)
            try statements.unmarkPurge.run()
        }
        try statements.commit.run()
        purgeMarked = nil
        let isDone = firsts.count < StoreTuning.purgeChunksPerStep
        purgeBacklog = isDone ? 0 : max(1, purgeBacklog - Int64(firsts.count))
    }

    private func nextPurges() throws(DatabaseError) -> [Int64] {
        let statement = statements.nextPurges
        statement.bind(Int64(StoreTuning.purgeChunksPerStep), at: 1)
        defer { statement.reset() }
        var firsts: [Int64] = []
        while try statement.step() {
            firsts.append(statement.integer(0))
        }
        return firsts
    }

    private func purgeChunk(_ first: Int64) throws(DatabaseError) {
        let find = statements.findChunk
        find.bind(first, at: 1)
        defer { find.reset() }
        // The row may be gone already: one that has come down to one entry goes with it.
        guard try find.step(), find.integer(0) == first else { return }
        let chunk = find.blob(2)
        guard let kept = try keptEntries(of: chunk, first...max(first, find.integer(1))) else {
            return
        }
        if kept.last == 0 {
            find.reset()
            statements.removeChunk.bind(first, at: 1)
            return try statements.removeChunk.run()
        }
        guard kept.bytes.count * 2 < chunk.count else { return }
        find.reset()
        let rewrite = statements.rewriteChunk
        rewrite.bind(first, at: 1)
        rewrite.bind(kept.last, at: 2)
        rewrite.bind(kept.count, at: 3)
        try kept.bytes.withBytes { bytes throws(DatabaseError) in
            rewrite.bind(blob: bytes, at: 4)
            try rewrite.run()
        }
    }

    private struct KeptEntries {
        var bytes = ByteBuffer()
        var count: Int64 = 0
        /// 0: none was kept.
        var last: Int64 = 0
    }

    /// Entries whose operations are still there; nil for a row that cannot be read, which is left
    /// alone: whoever asks for one of its bodies is told.
    private func keptEntries(
        of chunk: UnsafeRawBufferPointer, _ range: ClosedRange<Int64>
    ) throws(DatabaseError) -> KeptEntries? {
        let living = try livingIDs(range)
        var kept = KeptEntries()
        var reader = ByteReader(chunk)
        do {
            while let (id, entry) = try BodyEntry.next(&reader) {
                guard living.contains(id.rawValue) else { continue }
                kept.bytes.append(entry)
                kept.count += 1
                kept.last = id.rawValue
            }
        } catch {
            return nil
        }
        return kept
    }

    private func livingIDs(_ range: ClosedRange<Int64>) throws(DatabaseError) -> Set<Int64> {
        let statement = statements.idsInRange
        statement.bind(range.lowerBound, at: 1)
        statement.bind(range.upperBound, at: 2)
        defer { statement.reset() }
        var ids: Set<Int64> = []
        while try statement.step() {
            ids.insert(statement.integer(0))
        }
        return ids
    }
}
