import RetryModel

extension StoreWriter {
    /// Gives everything that is stored to the visitor, in the order `StoreVisitor` names.
    func recover(into visitor: inout some StoreVisitor) throws(StoreError) {
        do {
            visitor.facts(try facts())
            try recoverRules(into: &visitor)
            try recoverPolicyNames(into: &visitor)
            try recoverSignals(into: &visitor)
            try recoverDestinations(into: &visitor)
            try recoverPauses(into: &visitor)
            try recoverLanes(into: &visitor)
            try recoverOperations(into: &visitor)
            try recoverEvents(into: &visitor)
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw StoreError(error)
        } catch {
            preconditionFailure("recovery throws two kinds of errors")
        }
    }

    private func facts() throws -> StoreFacts {
        let fact = try database.prepare("SELECT value FROM meta WHERE name = ?1")
        func value(_ name: String) throws -> Int64 {
            defer { fact.reset() }
            var name = name
            return try name.withUTF8 { bytes in
                fact.bind(text: UnsafeRawBufferPointer(bytes), at: 1)
                return try fact.step() ? fact.integer(0) : 0
            }
        }
        let newest = try database.integer("SELECT max(id) FROM operation")
        let boot = try database.prepare(
            "SELECT number, boot_id, base, last_wall, last_instant, is_wall_trusted, "
                + "earlier_wall, earlier_instant FROM boot ORDER BY number DESC LIMIT 1")
        var anchor: BootAnchor?
        if try boot.step() {
            anchor = BootAnchor(
                bootID: boot.text(1), number: try narrowed(boot.integer(0), "boot"),
                base: Span(usec: boot.integer(2)), lastWall: WallTime(usec: boot.integer(3)),
                lastInstant: Instant(usec: boot.integer(4)),
                isWallTrusted: boot.integer(5) != 0)
            if let wall = boot.optionalInteger(6), let instant = boot.optionalInteger(7) {
                anchor?.earlier = BootAnchor.Earlier(
                    wall: WallTime(usec: wall), instant: Instant(usec: instant))
            }
        }
        return StoreFacts(
            secret: UInt64(bitPattern: try value("secret")),
            secret2: UInt64(bitPattern: try value("secret2")),
            idsReservedThrough: max(newest, try value("ids_reserved_through")), anchor: anchor)
    }

    private func recoverRules(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare("SELECT id, name, pack_hash FROM rule ORDER BY id")
        while try rows.step() {
            visitor.rule(
                try narrowed(rows.integer(0), "rule"), name: rows.text(1),
                packHash: UInt64(bitPattern: rows.integer(2)))
        }
    }

    private func recoverPolicyNames(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare("SELECT id, name FROM policy ORDER BY id")
        while try rows.step() {
            visitor.policyName(try narrowed(rows.integer(0), "policy"), rows.text(1))
        }
    }

    private func recoverEvents(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare("SELECT hash, operation, until FROM event ORDER BY hash")
        while try rows.step() {
            visitor.event(
                UInt64(bitPattern: rows.integer(0)), OperationID(rawValue: rows.integer(1)),
                until: rows.optionalInteger(2).map { Instant(usec: $0) })
        }
    }

    private func recoverLanes(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare(
            "SELECT id, owner, owner_group, kind, queue, destination, credential, scope, policy "
                + "FROM lane ORDER BY id")
        while try rows.step() {
            guard let kind = Kind(rawValue: try narrowed(rows.integer(3), "kind of a lane")) else {
                throw StoreError.malformed("lane \(rows.integer(0))")
            }
            let lane = Lane(
                owner: try narrowed(rows.integer(1), "owner of a lane"),
                group: try narrowed(rows.integer(2), "group of a lane"), queue: rows.text(4),
                kind: kind, destination: rows.optionalText(5), credential: rows.optionalText(6),
                scope: rows.text(7), policy: rows.optionalText(8))
            visitor.lane(try narrowed(rows.integer(0), "lane"), lane)
        }
    }

    private func recoverSignals(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare(
            "SELECT id, kind, owner, name, is_on, setter, changed_at, changed_at_wall, until, "
                + "generation, while_user, while_process, while_start_ticks FROM signal "
                + "ORDER BY id")
        while try rows.step() {
            let rawKind: UInt8 = try narrowed(rows.integer(1), "kind of a signal")
            guard let kind = StoredSignalName.Kind(rawValue: rawKind) else {
                throw StoreError.malformed("signal \(rows.integer(0))")
            }
            let name = StoredSignalName(
                kind: kind, text: rows.text(3),
                owner: try narrowed(rows.integer(2), "owner of a signal"))
            var signal = SignalRecord(
                name: name.name, isOn: rows.integer(4) != 0,
                setter: try narrowed(rows.integer(5), "setter of a signal"),
                changedAt: Instant(usec: rows.integer(6)),
                changedAtWall: WallTime(usec: rows.integer(7)),
                until: rows.optionalInteger(8).map { Instant(usec: $0) },
                generation: try narrowed(rows.integer(9), "generation of a signal"))
            if let user = rows.optionalInteger(10), let process = rows.optionalInteger(11),
                let startTicks = rows.optionalInteger(12)
            {
                signal.whileAlive = LeaseHolder(
                    user: try narrowed(user, "process of a signal"),
                    process: try narrowed(process, "process of a signal"),
                    startTicks: UInt64(bitPattern: startTicks))
            }
            visitor.signal(try narrowed(rows.integer(0), "signal"), signal)
        }
    }

    private func recoverDestinations(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare(
            "SELECT id, name, owner, breaker, until, openings, probe, tokens_milli, tokens_at, "
                + "since, failures FROM destination ORDER BY id")
        while try rows.step() {
            let rawBreaker: UInt8 = try narrowed(rows.integer(3), "breaker of a destination")
            guard let breaker = BreakerState(rawValue: rawBreaker) else {
                throw StoreError.malformed("destination \(rows.integer(0))")
            }
            let name = DestinationName(
                name: rows.text(1),
                owner: try rows.optionalInteger(2).map { owner throws in
                    try narrowed(owner, "owner of a destination")
                })
            var record = DestinationRecord(
                name: name, tokensMilli: rows.integer(7),
                tokensAt: Instant(usec: rows.integer(8)), since: WallTime(usec: rows.integer(9)))
            record.breaker = breaker
            record.until = Instant(usec: rows.integer(4))
            record.openings = try narrowed(rows.integer(5), "openings of a destination")
            record.failures = try narrowed(rows.integer(10), "failures of a destination")
            record.probe = rows.optionalInteger(6).map { OperationID(rawValue: $0) }
            visitor.destination(try narrowed(rows.integer(0), "destination"), record)
        }
    }

    private func recoverPauses(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare(
            "SELECT id, owner, queue, destination, credential, author, reason, since, until "
                + "FROM pause ORDER BY id")
        while try rows.step() {
            let scope = PauseScope(
                owner: try rows.optionalInteger(1).map { owner throws in
                    try narrowed(owner, "owner of a pause")
                }, queue: rows.optionalText(2), destination: rows.optionalText(3),
                credential: rows.optionalText(4))
            let record = PauseRecord(
                scope: scope, author: try narrowed(rows.integer(5), "author of a pause"),
                reason: rows.text(6), since: WallTime(usec: rows.integer(7)),
                until: rows.optionalInteger(8).map { Instant(usec: $0) })
            visitor.pause(try narrowed(rows.integer(0), "pause"), record)
        }
    }

    private func recoverOperations(into visitor: inout some StoreVisitor) throws {
        let rows = try database.prepare("SELECT id, record FROM operation ORDER BY id")
        while try rows.step() {
            let id = OperationID(rawValue: rows.integer(0))
            do {
                visitor.operation(try PackedRecord.read(id: id, rows.blob(1)))
            } catch {
                throw StoreError.malformed("the record of operation \(id.rawValue)")
            }
        }
    }

    /// An integer of a column in the smaller type it was written from.
    private func narrowed<Value: FixedWidthInteger>(
        _ value: Int64, _ place: String
    ) throws -> Value {
        guard let narrow = Value(exactly: value) else {
            throw StoreError.malformed("\(place) (\(value))")
        }
        return narrow
    }
}
