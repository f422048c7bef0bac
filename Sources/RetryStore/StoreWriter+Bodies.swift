import RetryModel

extension StoreWriter {
    func saveChunk(
        _ reader: inout CommandReader, _ bodies: UnsafeRawBufferPointer
    ) throws(DatabaseError) {
        let first = reader.integer(Int64.self)
        let last = reader.integer(Int64.self)
        let entryCount = reader.integer(UInt32.self)
        let offset = reader.integer(Int.self)
        let length = reader.integer(Int.self)
        let chunk = UnsafeRawBufferPointer(rebasing: bodies[offset..<(offset + length)])
        guard first > bodyTop else { return try saveOverrides(chunk) }
        let statement = statements.saveChunk
        statement.bind(first, at: 1)
        statement.bind(last, at: 2)
        statement.bind(Int64(entryCount), at: 3)
        statement.bind(blob: chunk, at: 4)
        try statement.run()
        bodyTop = last
    }

    func replaceBody(
        _ reader: inout CommandReader, _ bodies: UnsafeRawBufferPointer
    ) throws(DatabaseError) {
        let id = reader.integer(Int64.self)
        let offset = reader.integer(Int.self)
        let length = reader.integer(Int.self)
        try saveOverride(id, UnsafeRawBufferPointer(rebasing: bodies[offset..<(offset + length)]))
    }

    /// Entries whose ids do not lie above all rows of `body` go where they cannot overlap one.
    private func saveOverrides(_ chunk: UnsafeRawBufferPointer) throws(DatabaseError) {
        var reader = ByteReader(chunk)
        do {
            while let (id, entry) = try BodyEntry.next(&reader) {
                try saveOverride(id.rawValue, entry)
            }
        } catch let error as DatabaseError {
            throw error
        } catch {
            preconditionFailure("a batch holds a malformed body")
        }
    }

    private func saveOverride(
        _ id: Int64, _ entry: UnsafeRawBufferPointer
    ) throws(DatabaseError) {
        statements.saveOverride.bind(id, at: 1)
        statements.saveOverride.bind(blob: entry, at: 2)
        try statements.saveOverride.run()
        hasOverrides = true
    }

    func remove(_ id: Int64) throws(DatabaseError) {
        statements.removeRecord.bind(id, at: 1)
        try statements.removeRecord.run()
        statements.removeAttempts.bind(id, at: 1)
        try statements.removeAttempts.run()
        if hasOverrides {
            statements.removeOverride.bind(id, at: 1)
            try statements.removeOverride.run()
        }
        try markForPurge(id)
    }

    /// Notes that a row of `body` has lost an entry. A row of one entry goes at once.
    private func markForPurge(_ id: Int64) throws(DatabaseError) {
        if let purgeMarked, purgeMarked.contains(id) { return }
        let range = statements.rangeOfChunk
        range.bind(id, at: 1)
        guard try range.step() else { return range.reset() }
        let first = range.integer(0)
        let last = range.integer(1)
        let entryCount = range.integer(2)
        range.reset()
        guard last >= id else { return }
        if entryCount == 1 {
            statements.removeChunk.bind(first, at: 1)
            return try statements.removeChunk.run()
        }
        statements.markPurge.bind(first, at: 1)
        try statements.markPurge.run()
        purgeBacklog += 1
        purgeMarked = first...last
    }
}
