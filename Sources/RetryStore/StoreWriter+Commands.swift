import RetryModel

extension StoreWriter {
    /// Carries out a batch's commands in the open transaction.
    ///
    /// The commands were written by this process a moment ago: one that cannot be read is a
    /// fault of the program and traps.
    func carryOut(
        _ commands: UnsafeRawBufferPointer, _ bodies: UnsafeRawBufferPointer
    ) throws(DatabaseError) {
        var reader = CommandReader(commands)
        while let command = reader.next() {
            switch command {
            case .saveRecord: try saveRecord(&reader)
            case .remove: try remove(reader.integer())
            case .saveChunk: try saveChunk(&reader, bodies)
            case .replaceBody: try replaceBody(&reader, bodies)
            case .saveAttempt: try saveAttempt(&reader)
            case .saveLane: try saveLane(&reader)
            case .saveSignal: try saveSignal(&reader)
            case .saveRule: try saveRule(&reader)
            case .saveAnchor: try saveAnchor(&reader)
            case .reserveIDs: try reserveIDs(reader.integer())
            case .savePolicyName: try savePolicyName(&reader)
            case .saveEvent: try saveEvent(&reader)
            case .savePause: try savePause(&reader)
            case .removePause: try remove(reader.integer(PauseIndex.self), statements.removePause)
            case .saveDestination: try saveDestination(&reader)
            case .removeDestination:
                try remove(
                    reader.integer(DestinationIndex.self), statements.removeDestination)
            case .removeLane: try remove(reader.integer(LaneIndex.self), statements.removeLane)
            case .removeSignal:
                try remove(reader.integer(SignalIndex.self), statements.removeSignal)
            case .removeEvent:
                statements.removeEvent.bind(Int64(bitPattern: reader.integer(UInt64.self)), at: 1)
                try statements.removeEvent.run()
            }
        }
    }

    private func saveRecord(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveRecord
        statement.bind(reader.integer(Int64.self), at: 1)
        let length = Int(reader.integer(UInt16.self))
        statement.bind(blob: reader.bytes(length), at: 2)
        try statement.run()
    }

    private func saveAttempt(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveAttempt
        let id = reader.integer(Int64.self)
        let countMax = Int64(reader.integer(UInt32.self))
        let number = try nextAttempt(of: id)
        statement.bind(id, at: 1)
        statement.bind(number, at: 2)
        statement.bind(blob: reader.text(), at: 3)
        try statement.run()
        // The first is in the body, so one less is kept here.
        let oldestGone = number - (countMax - 1)
        if oldestGone > 1 {
            statements.trimAttempts.bind(id, at: 1)
            statements.trimAttempts.bind(oldestGone, at: 2)
            try statements.trimAttempts.run()
        }
    }

    /// One seek to the end of the operation's rows.
    private func nextAttempt(of id: Int64) throws(DatabaseError) -> Int64 {
        let newest = statements.newestAttempt
        defer { newest.reset() }
        newest.bind(id, at: 1)
        return try newest.step() ? newest.integer(0) + 1 : 2
    }

    private func savePolicyName(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.savePolicyName
        statement.bind(Int64(reader.integer(PolicyIndex.self)), at: 1)
        statement.bind(text: reader.text(), at: 2)
        try statement.run()
    }

    private func saveEvent(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveEvent
        statement.bind(Int64(bitPattern: reader.integer(UInt64.self)), at: 1)
        statement.bind(reader.integer(Int64.self), at: 2)
        let hasEnd = reader.integer(UInt8.self) != 0
        let until = reader.integer(Int64.self)
        statement.bind(hasEnd ? until : nil, at: 3)
        try statement.run()
    }

    private func saveLane(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveLane
        statement.bind(Int64(reader.integer(LaneIndex.self)), at: 1)
        statement.bind(Int64(reader.integer(UserID.self)), at: 2)
        statement.bind(Int64(reader.integer(UInt32.self)), at: 3)
        statement.bind(Int64(reader.integer(UInt8.self)), at: 4)
        statement.bind(text: reader.text(), at: 5)
        statement.bind(text: reader.optionalText(), at: 6)
        statement.bind(text: reader.optionalText(), at: 7)
        statement.bind(text: reader.text(), at: 8)
        statement.bind(text: reader.optionalText(), at: 9)
        try statement.run()
    }

    private func saveSignal(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveSignal
        statement.bind(Int64(reader.integer(SignalIndex.self)), at: 1)
        statement.bind(Int64(reader.integer(UInt8.self)), at: 2)
        statement.bind(Int64(reader.integer(UserID.self)), at: 3)
        statement.bind(text: reader.text(), at: 4)
        statement.bind(Int64(reader.integer(UInt8.self)), at: 5)
        statement.bind(Int64(reader.integer(UserID.self)), at: 6)
        statement.bind(reader.integer(Int64.self), at: 7)
        statement.bind(reader.integer(Int64.self), at: 8)
        let hasEnd = reader.integer(UInt8.self) != 0
        let until = reader.integer(Int64.self)
        statement.bind(hasEnd ? until : nil, at: 9)
        statement.bind(Int64(reader.integer(UInt32.self)), at: 10)
        for column in Int32(11)...13 { statement.bind(reader.optionalInteger(), at: column) }
        try statement.run()
    }

    private func remove(
        _ number: UInt32, _ statement: Statement
    ) throws(DatabaseError) {
        statement.bind(Int64(number), at: 1)
        try statement.run()
    }

    private func savePause(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.savePause
        statement.bind(Int64(reader.integer(PauseIndex.self)), at: 1)
        statement.bind(reader.optionalInteger(), at: 2)
        statement.bind(text: reader.optionalText(), at: 3)
        statement.bind(text: reader.optionalText(), at: 4)
        statement.bind(text: reader.optionalText(), at: 5)
        statement.bind(Int64(reader.integer(UserID.self)), at: 6)
        statement.bind(text: reader.text(), at: 7)
        statement.bind(reader.integer(Int64.self), at: 8)
        statement.bind(reader.optionalInteger(), at: 9)
        try statement.run()
    }

    private func saveDestination(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveDestination
        statement.bind(Int64(reader.integer(DestinationIndex.self)), at: 1)
        statement.bind(text: reader.text(), at: 2)
        statement.bind(reader.optionalInteger(), at: 3)
        statement.bind(Int64(reader.integer(UInt8.self)), at: 4)
        statement.bind(reader.integer(Int64.self), at: 5)
        statement.bind(Int64(reader.integer(UInt8.self)), at: 6)
        statement.bind(reader.optionalInteger(), at: 7)
        statement.bind(reader.integer(Int64.self), at: 8)
        statement.bind(reader.integer(Int64.self), at: 9)
        statement.bind(reader.integer(Int64.self), at: 10)
        statement.bind(Int64(reader.integer(UInt16.self)), at: 11)
        try statement.run()
    }

    private func saveRule(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveRule
        statement.bind(Int64(reader.integer(RuleIndex.self)), at: 1)
        // SQLite's integers are signed: the bits are kept, not the value.
        statement.bind(Int64(bitPattern: reader.integer(UInt64.self)), at: 3)
        statement.bind(text: reader.text(), at: 2)
        try statement.run()
    }

    private func saveAnchor(_ reader: inout CommandReader) throws(DatabaseError) {
        let statement = statements.saveBoot
        let number = Int64(reader.integer(UInt32.self))
        statement.bind(number, at: 1)
        statement.bind(reader.integer(Int64.self), at: 3)
        statement.bind(reader.integer(Int64.self), at: 4)
        statement.bind(reader.integer(Int64.self), at: 5)
        statement.bind(Int64(reader.integer(UInt8.self)), at: 6)
        statement.bind(reader.optionalInteger(), at: 7)
        statement.bind(reader.optionalInteger(), at: 8)
        statement.bind(text: reader.text(), at: 2)
        try statement.run()
        statements.removeOlderBoots.bind(number, at: 1)
        try statements.removeOlderBoots.run()
    }

    private func reserveIDs(_ through: Int64) throws(DatabaseError) {
        let name: StaticString = "ids_reserved_through"
        statements.raiseFact.bind(
            text: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
            at: 1)
        statements.raiseFact.bind(through, at: 2)
        try statements.raiseFact.run()
    }
}

/// A `ByteReader` over bytes this process wrote: what is malformed traps.
struct CommandReader {
    private var reader: ByteReader

    init(_ bytes: UnsafeRawBufferPointer) {
        reader = ByteReader(bytes)
    }

    mutating func next() -> StoreCommand? {
        if reader.isAtEnd { return nil }
        let raw = integer(UInt8.self)
        guard let command = StoreCommand(rawValue: raw) else {
            preconditionFailure("a batch holds the unknown command \(raw)")
        }
        return command
    }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value {
        do {
            return try reader.integer(type)
        } catch {
            preconditionFailure("a command of a batch is cut short")
        }
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
        do {
            return try reader.bytes(count)
        } catch {
            preconditionFailure("a command of a batch is cut short")
        }
    }

    mutating func text() -> UnsafeRawBufferPointer {
        bytes(Int(integer(UInt32.self)))
    }

    mutating func optionalInteger() -> Int64? {
        integer(UInt8.self) == 0 ? nil : integer(Int64.self)
    }

    mutating func optionalText() -> UnsafeRawBufferPointer? {
        integer(UInt8.self) == 0 ? nil : text()
    }
}
