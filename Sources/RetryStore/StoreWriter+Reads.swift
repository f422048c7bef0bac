import RetryModel

extension StoreWriter {
    func read(_ request: ReadRequest, into results: inout ReadResults) {
        let offset = results.bytes.count
        var status: ReadResults.Status
        do {
            let isFound =
                switch request.kind {
                case .body: try readBody(request.id, into: &results.bytes)
                case .attributes: try readAttributes(request.id, into: &results.bytes)
                case .newestFailure: try readNewestFailure(request.id, into: &results.bytes)
                case .attempts: try readAttempts(request.id, into: &results.bytes)
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
        _ id: OperationID, into bytes: inout ByteBuffer
    ) throws(StoreError) -> Bool {
        try withEntry(id) { entry throws(ByteReader.Malformed) in
            var reader = ByteReader(entry)
            var parts = try BodyEntry.read(&reader).parts
            parts.payload = BodyParts.nothing
            parts.failure = BodyParts.nothing
            parts.decision = BodyParts.nothing
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
                let failure = try PackedAttempt.read(statement.blob(0)).failure
                if !failure.isEmpty {
                    bytes.append(failure)
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
        _ id: OperationID, into bytes: inout ByteBuffer
    ) throws(StoreError) -> Bool {
        let statement = statements.attempts
        statement.bind(id.rawValue, at: 1)
        defer { statement.reset() }
        do {
            while try statement.step() {
                let content = statement.blob(1)
                bytes.append(UInt32(truncatingIfNeeded: statement.integer(0)))
                bytes.append(UInt32(content.count))
                bytes.append(content)
            }
        } catch {
            throw StoreError(error)
        }
        return true
    }

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
            let statement = statements.findChunk
            statement.bind(id.rawValue, at: 1)
            defer { statement.reset() }
            guard try statement.step(), statement.integer(0) >= id.rawValue,
                let entry = try BodyEntry.find(id, in: statement.blob(1))
            else { return false }
            try body(entry)
            return true
        } catch let error as DatabaseError {
            throw StoreError(error)
        } catch {
            throw .malformed("the body of operation \(id.rawValue)")
        }
    }
}
