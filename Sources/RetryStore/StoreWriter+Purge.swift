/// Takes the entries of operations that are gone out of the rows of `body`. A row goes when none
/// of its operations is left; it is written anew, with what is left, when that is less than half
/// of it. So an operation that stays never holds more than its own size of others' room.
extension StoreWriter {
    /// Looks at some of the rows that have lost an entry.
    func purgeStep() throws(DatabaseError) {
        try statements.begin.run()
        let firsts = try nextPurges()
        for first in firsts {
            try purgeChunk(first)
            statements.unmarkPurge.bind(first, at: 1)
            try statements.unmarkPurge.run()
        }
        try statements.commit.run()
        purgeMarked = nil
        mayVacuum = true
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
        // A row may be marked that went as a row of one entry.
        guard try find.step() else { return }
        let last = find.integer(0)
        let chunk = find.blob(1)
        guard last >= first, let kept = try keptEntries(of: chunk, first, last) else { return }
        if kept.byteCount == 0 {
            find.reset()
            statements.removeChunk.bind(first, at: 1)
            return try statements.removeChunk.run()
        }
        guard kept.byteCount * 2 < chunk.count else { return }
        var rest = ByteBuffer()
        for entry in kept.entries {
            rest.append(UnsafeRawBufferPointer(rebasing: chunk[entry]))
        }
        find.reset()
        let rewrite = statements.rewriteChunk
        rewrite.bind(first, at: 1)
        rewrite.bind(kept.last, at: 2)
        rewrite.bind(Int64(kept.entries.count), at: 3)
        try rest.withBytes { bytes throws(DatabaseError) in
            rewrite.bind(blob: bytes, at: 4)
            try rewrite.run()
        }
    }

    private struct KeptEntries {
        var entries: [Range<Int>] = []
        var byteCount = 0
        var last: Int64 = 0
    }

    /// Entries whose operations are still there; nil for a row that cannot be read, which is left
    /// alone: whoever asks for one of its bodies is told.
    private func keptEntries(
        of chunk: UnsafeRawBufferPointer, _ first: Int64, _ last: Int64
    ) throws(DatabaseError) -> KeptEntries? {
        let living = try livingIDs(first, last)
        var kept = KeptEntries()
        var reader = ByteReader(chunk)
        var start = 0
        do {
            while !reader.isAtEnd {
                let id = try reader.integer(Int64.self)
                let end = start + BodyEntry.prefixBytes + (try reader.text().count)
                if living.contains(id) {
                    kept.entries.append(start..<end)
                    kept.byteCount += end - start
                    kept.last = id
                }
                start = end
            }
        } catch {
            return nil
        }
        return kept
    }

    private func livingIDs(_ first: Int64, _ last: Int64) throws(DatabaseError) -> Set<Int64> {
        let statement = statements.idsInRange
        statement.bind(first, at: 1)
        statement.bind(last, at: 2)
        defer { statement.reset() }
        var ids: Set<Int64> = []
        while try statement.step() {
            ids.insert(statement.integer(0))
        }
        return ids
    }
}
