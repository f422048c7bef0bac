import RetryModel

extension StoreWriter {
    /// Carries out reads. What fails is told in its result.
    func readAll(_ requests: [ReadRequest], into results: inout ReadResults) {
        if requests.isEmpty { return }
        // One read transaction for all: it saves SQLite taking and giving back a lock for each.
        // Where it fails, the reads are told why.
        _ = try? statements.beginRead.run()
        for request in requests {
            read(request, into: &results)
        }
        chunkCursor = nil
        statements.findChunk.reset()
        // Only ends the reading: there is nothing to commit that could fail.
        if database.isInTransaction { _ = try? statements.commit.run() }
    }

    private func read(_ request: ReadRequest, into results: inout ReadResults) {
        let offset = results.bytes.count
        var status: ReadResults.Status
        do {
            let isFound =
                switch request.kind {
                case .body: try readBody(request.id, into: &results.bytes)
                case .attributes:
                    try readAttributes(request.id, withDecision: false, into: &results.bytes)
                case .told:
                    try readAttributes(request.id, withDecision: true, into: &results.bytes)
                case .newestFailure: try readNewestFailure(request.id, into: &results.bytes)
                case .attempts:
                    try readAttempts(request.id, withFailures: true, into: &results.bytes)
                case .decisions:
                    try readAttempts(request.id, withFailures: false, into: &results.bytes)
                }
            status = isFound ? .found : .missing
        } catch {
            status = .failed(error)
        }
        results.slots.append(
            ReadResults.Slot(
                request: request, status: status, offset: offset,
                length: results.bytes.count - offset))
    }

    private func readBody(
        _ id: OperationID, into bytes: inout ByteBuffer
    ) throws(StoreError) -> Bool {
        try withEntry(id) { entry throws(ByteReader.Malformed) in bytes.append(entry) }
    }

    private func readAttributes(
        _ id: OperationID, withDecision: Bool, into bytes: inout ByteBuffer
    ) throws(StoreError) -> Bool {
        try withEntry(id) { entry throws(ByteReader.Malformed) in
            var reader = ByteReader(entry)
            var parts = try BodyEntry.read(&reader).parts
            parts.payload = BodyParts.nothing
            parts.failure = BodyParts.nothing
            if !withDecision { parts.decision = BodyParts.nothing }
            let length = BodyEntry.length(of: parts)
            bytes.append(length: length) { base in
                BodyEntry.write(id, parts, length: length, to: base)
            }
        }
    }

    private func readNewestFailure(
        _ id: OperationID, into bytes: inout ByteBuffer
    ) throws(StoreError) -> Bool {
        let statement = statements.attemptsNewestFirst
        statement.bind(id.rawValue, at: 1)
        do {
            defer { statement.reset() }
            while try statement.step() {
                let attempt = try PackedAttempt.read(statement.blob(0))
                // A failure that was told too late was not decided.
                if !attempt.failure.isEmpty, !attempt.decision.isEmpty {
                    bytes.append(attempt.failure)
                    return true
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(error)
        } catch {
            throw .malformed("an attempt of operation \(id.rawValue)")
        }
        var isThere = false
        _ = try withEntry(id) { entry throws(ByteReader.Malformed) in
            var reader = ByteReader(entry)
            let failure = try BodyEntry.read(&reader).parts.failure
            bytes.append(failure)
            isThere = !failure.isEmpty
        }
        return isThere
    }

    private func readAttempts(
        _ id: OperationID, withFailures: Bool, into bytes: inout ByteBuffer
    ) throws(StoreError) -> Bool {
        let statement = statements.attempts
        statement.bind(id.rawValue, at: 1)
        defer { statement.reset() }
        do {
            while try statement.step() {
                let content = statement.blob(1)
                bytes.append(UInt32(truncatingIfNeeded: statement.integer(0)))
                if withFailures {
                    bytes.append(UInt32(content.count))
                    bytes.append(content)
                } else {
                    var parts = try PackedAttempt.read(content)
                    parts.failure = BodyParts.nothing
                    bytes.append(UInt32(PackedAttempt.length(of: parts)))
                    PackedAttempt.append(parts, to: &bytes)
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(error)
        } catch {
            throw .malformed("an attempt of operation \(id.rawValue)")
        }
        return true
    }

    // MARK: Bodies

    /// Finds an operation's body, the newest; false: there is none.
    private func withEntry(
        _ id: OperationID,
        _ body: (UnsafeRawBufferPointer) throws(ByteReader.Malformed) -> Void
    ) throws(StoreError) -> Bool {
        do {
            if hasOverrides {
                let statement = statements.findOverride
                statement.bind(id.rawValue, at: 1)
                defer { statement.reset() }
                if try statement.step() {
                    try body(statement.blob(0))
                    return true
                }
            }
            guard let entry = try entryInChunk(id) else { return false }
            try body(entry)
            return true
        } catch let error as DatabaseError {
            throw StoreError(error)
        } catch {
            throw .malformed("the body of operation \(id.rawValue)")
        }
    }

    /// Valid until the next call. Neighbours are often asked for together, so a chunk stays open
    /// until another is needed.
    private func entryInChunk(_ id: OperationID) throws -> UnsafeRawBufferPointer? {
        if chunkCursor?.range.contains(id.rawValue) != true {
            chunkCursor = nil
            let statement = statements.findChunk
            statement.reset()
            statement.bind(id.rawValue, at: 1)
            guard try statement.step() else { return nil }
            let first = statement.integer(0)
            let last = statement.integer(1)
            guard first <= last else { throw ByteReader.Malformed() }
            chunkCursor = ChunkCursor(range: first...last, chunk: statement.blob(2))
        }
        return try chunkCursor?.find(id)
    }

    /// A chunk that is being read.
    struct ChunkCursor {
        let range: ClosedRange<Int64>
        private let chunk: UnsafeRawBufferPointer
        private var reader: ByteReader
        /// Ids in a chunk ascend: what is looked for next is most often behind this one.
        private var lastFound = OperationID(rawValue: 0)

        init(range: ClosedRange<Int64>, chunk: UnsafeRawBufferPointer) {
            self.range = range
            self.chunk = chunk
            reader = ByteReader(chunk)
        }

        mutating func find(
            _ id: OperationID
        ) throws(ByteReader.Malformed) -> UnsafeRawBufferPointer? {
            if id <= lastFound { reader = ByteReader(chunk) }
            while let (found, entry) = try BodyEntry.next(&reader) {
                if found < id { continue }
                lastFound = found
                return found == id ? entry : nil
            }
            lastFound = OperationID(rawValue: range.upperBound)
            return nil
        }
    }
}
