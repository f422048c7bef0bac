package import RetryModel

extension StoreBatch {
    /// Stores the record, new or changed.
    package mutating func save(_ record: OperationRecord) {
        let length = PackedRecord.length(of: record)
        begin(.saveRecord)
        commands.append(record.id.rawValue)
        commands.append(UInt16(length))
        commands.append(length: length) { base in PackedRecord.write(record, to: base) }
    }

    /// Forgets an operation that ended long enough ago: record, attempts and body.
    package mutating func remove(_ id: OperationID) {
        closeChunk()
        begin(.remove)
        commands.append(id.rawValue)
    }

    /// Stores the body of a new operation. Bodies in ascending order of ids are the fast case.
    package mutating func saveBody(_ id: OperationID, _ parts: BodyParts) {
        let length = BodyEntry.length(of: parts)
        if let chunk = openChunk {
            if id <= chunk.last { return replaceBody(id, parts) }
            if bodies.count - chunk.offset + length > StoreTuning.chunkBytesMax { closeChunk() }
        }
        var chunk =
            openChunk ?? OpenChunk(first: id, last: id, entryCount: 0, offset: bodies.count)
        chunk.last = id
        chunk.entryCount += 1
        bodies.append(length: length) { base in
            BodyEntry.write(id, parts, length: length, to: base)
        }
        openChunk = chunk
        writeCount += 1
    }

    /// Stores another body for an operation that has one.
    package mutating func replaceBody(_ id: OperationID, _ parts: BodyParts) {
        closeChunk()
        let length = BodyEntry.length(of: parts)
        let offset = bodies.count
        bodies.append(length: length) { base in
            BodyEntry.write(id, parts, length: length, to: base)
        }
        begin(.replaceBody)
        commands.append(id.rawValue)
        commands.append(offset)
        commands.append(length)
    }

    /// Stores an attempt after the first, with the next number: the told failure, number 1, is in
    /// the body.
    ///
    /// - Parameter countMax: Of more attempts than that the oldest but the first go.
    package mutating func saveAttempt(
        _ id: OperationID, _ parts: AttemptParts, keeping countMax: Int = Limits.attemptsKeptMax
    ) {
        begin(.saveAttempt)
        commands.append(id.rawValue)
        commands.append(UInt32(clamping: countMax))
        commands.append(UInt32(PackedAttempt.length(of: parts)))
        PackedAttempt.append(parts, to: &commands)
    }

    /// Makes sure that ids up to this one are never given again, even when no operation has them.
    package mutating func reserveIDs(through id: Int64) {
        begin(.reserveIDs)
        commands.append(id)
    }

    /// Ends the run of bodies: what follows must find them stored.
    mutating func closeChunk() {
        guard let chunk = openChunk else { return }
        openChunk = nil
        commands.append(StoreCommand.saveChunk.rawValue)
        commands.append(chunk.first.rawValue)
        commands.append(chunk.last.rawValue)
        commands.append(chunk.entryCount)
        commands.append(chunk.offset)
        commands.append(bodies.count - chunk.offset)
    }

    private mutating func begin(_ command: StoreCommand) {
        commands.append(command.rawValue)
        writeCount += 1
    }
}

// MARK: - What changes seldom

extension StoreBatch {
    package mutating func saveLane(_ index: LaneIndex, _ lane: Lane) {
        begin(.saveLane)
        commands.append(index)
        commands.append(lane.owner)
        commands.append(lane.group)
        commands.append(lane.kind.rawValue)
        commands.append(text: lane.queue)
        commands.append(optionalText: lane.destination)
        commands.append(optionalText: lane.credential)
        commands.append(text: lane.scope)
        commands.append(optionalText: lane.policy)
    }

    package mutating func saveSignal(_ index: SignalIndex, _ signal: SignalRecord) {
        let name = StoredSignalName(signal.name)
        begin(.saveSignal)
        commands.append(index)
        commands.append(name.kind.rawValue)
        commands.append(name.owner)
        commands.append(text: name.text)
        commands.append(UInt8(signal.isOn ? 1 : 0))
        commands.append(signal.setter)
        commands.append(signal.changedAt.usec)
        commands.append(signal.changedAtWall.usec)
        commands.append(UInt8(signal.until == nil ? 0 : 1))
        commands.append(signal.until?.usec ?? 0)
        commands.append(signal.generation)
        append(optional: signal.whileAlive.map { Int64($0.user) })
        append(optional: signal.whileAlive.map { Int64($0.process) })
        append(optional: signal.whileAlive.map { Int64(bitPattern: $0.startTicks) })
    }

    /// Gives a rule its number in the store.
    ///
    /// - Parameter packHash: Tells which rules were in force when the name was first used.
    package mutating func saveRule(_ index: RuleIndex, name: String, packHash: UInt64) {
        begin(.saveRule)
        commands.append(index)
        commands.append(packHash)
        commands.append(text: name)
    }

    /// Gives a policy its number in the store.
    package mutating func savePolicyName(_ index: PolicyIndex, _ name: String) {
        begin(.savePolicyName)
        commands.append(index)
        commands.append(text: name)
    }

    /// Remembers that an event's failure was decided for an operation.
    ///
    /// - Parameters:
    ///   - hash: Keyed hash over owner and event_id.
    ///   - until: When it is forgotten; nil: not while its operation is there.
    package mutating func saveEvent(_ hash: UInt64, _ id: OperationID, until: Instant?) {
        begin(.saveEvent)
        commands.append(hash)
        commands.append(id.rawValue)
        commands.append(UInt8(until == nil ? 0 : 1))
        commands.append(until?.usec ?? 0)
    }

    package mutating func removeEvent(_ hash: UInt64) {
        begin(.removeEvent)
        commands.append(hash)
    }

    package mutating func savePause(_ index: PauseIndex, _ pause: PauseRecord) {
        begin(.savePause)
        commands.append(index)
        append(optional: pause.scope.owner.map { Int64($0) })
        commands.append(optionalText: pause.scope.queue)
        commands.append(optionalText: pause.scope.destination)
        commands.append(optionalText: pause.scope.credential)
        commands.append(pause.author)
        commands.append(text: pause.reason)
        commands.append(pause.since.usec)
        append(optional: pause.until?.usec)
    }

    package mutating func removePause(_ index: PauseIndex) {
        begin(.removePause)
        commands.append(index)
    }

    package mutating func saveDestination(
        _ index: DestinationIndex, _ destination: DestinationRecord
    ) {
        begin(.saveDestination)
        commands.append(index)
        commands.append(text: destination.name.name)
        append(optional: destination.name.owner.map { Int64($0) })
        commands.append(destination.breaker.rawValue)
        commands.append(destination.until.usec)
        commands.append(destination.openings)
        append(optional: destination.probe?.rawValue)
        commands.append(destination.tokensMilli)
        commands.append(destination.tokensAt.usec)
        commands.append(destination.since.usec)
        commands.append(destination.failures)
    }

    package mutating func removeDestination(_ index: DestinationIndex) {
        begin(.removeDestination)
        commands.append(index)
    }

    /// The number may be given to another lane.
    package mutating func removeLane(_ index: LaneIndex) {
        begin(.removeLane)
        commands.append(index)
    }

    /// The number may be given to another signal.
    package mutating func removeSignal(_ index: SignalIndex) {
        begin(.removeSignal)
        commands.append(index)
    }

    private mutating func append(optional number: Int64?) {
        commands.append(UInt8(number == nil ? 0 : 1))
        if let number { commands.append(number) }
    }

    package mutating func saveAnchor(_ anchor: BootAnchor) {
        begin(.saveAnchor)
        commands.append(anchor.number)
        commands.append(anchor.base.usec)
        commands.append(anchor.lastWall.usec)
        commands.append(anchor.lastInstant.usec)
        commands.append(UInt8(anchor.isWallTrusted ? 1 : 0))
        append(optional: anchor.earlier?.wall.usec)
        append(optional: anchor.earlier?.instant.usec)
        commands.append(text: anchor.bootID)
    }
}
