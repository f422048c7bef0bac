package import RetryModel

/// Something to be read from the store.
package struct ReadRequest: Sendable {
    /// What is wanted of an operation.
    @frozen
    package enum Kind: UInt8, Sendable {
        /// The whole body.
        case body
        /// Of the body: key, event id, attributes and the form of the payload.
        case attributes
        /// The same and the decision on the told failure.
        case told
        /// The failure that was decided last.
        case newestFailure
        /// All attempts after the first that are kept.
        case attempts
        /// The same without their failures.
        case decisions
    }

    /// The caller's number for it; comes back with the result.
    package var tag: UInt64
    package var kind: Kind
    package var id: OperationID

    package init(tag: UInt64, _ kind: Kind, of id: OperationID) {
        self.tag = tag
        self.kind = kind
        self.id = id
    }
}

/// What was read. The views live as long as the call that gives it.
package struct ReadResult {
    /// What there was, by the kind of the request.
    package enum Content {
        /// For `body`, `attributes` and `told`; the latter two have no payload and no failure.
        case body(BodyParts)
        case failure(UnsafeRawBufferPointer)
        /// In ascending order of numbers.
        case attempts([(number: UInt32, parts: AttemptParts)])
        /// The store has no such thing.
        case missing
        case failed(StoreError)
    }

    package var tag: UInt64
    package var id: OperationID
    package var content: Content
}

/// Results of a batch's reads, in the order of the requests, in one buffer.
struct ReadResults: Sendable {
    /// Where a result is.
    struct Slot: Sendable {
        var request: ReadRequest
        var status: Status
        var offset: Int
        var length: Int
    }

    enum Status: Sendable {
        case found
        case missing
        case failed(StoreError)
    }

    var bytes = ByteBuffer()
    var slots: [Slot] = []

    mutating func removeAll() {
        bytes.removeAll()
        slots.removeAll(keepingCapacity: true)
    }

    /// Turns a slot into what the caller sees.
    func result(_ slot: Slot, in all: UnsafeRawBufferPointer) -> ReadResult {
        let content: ReadResult.Content
        switch slot.status {
        case .missing: content = .missing
        case .failed(let error): content = .failed(error)
        case .found:
            let bytes = UnsafeRawBufferPointer(
                rebasing: all[slot.offset..<(slot.offset + slot.length)])
            do {
                content = try decoded(slot.request.kind, bytes)
            } catch {
                content = .failed(.malformed("operation \(slot.request.id.rawValue)"))
            }
        }
        return ReadResult(tag: slot.request.tag, id: slot.request.id, content: content)
    }

    private func decoded(
        _ kind: ReadRequest.Kind, _ bytes: UnsafeRawBufferPointer
    ) throws(ByteReader.Malformed) -> ReadResult.Content {
        var reader = ByteReader(bytes)
        switch kind {
        case .body, .attributes, .told:
            return .body(try BodyEntry.read(&reader).parts)
        case .newestFailure:
            return .failure(bytes)
        case .attempts, .decisions:
            var attempts: [(number: UInt32, parts: AttemptParts)] = []
            while !reader.isAtEnd {
                let number = try reader.integer(UInt32.self)
                attempts.append((number, try PackedAttempt.read(try reader.text())))
            }
            return .attempts(attempts)
        }
    }
}
