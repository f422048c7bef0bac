package import RetryModel

extension Scheduler {
    /// Somebody set a level.
    ///
    /// Setting a level that stands already still counts: it renews the TTL and the generation.
    /// - Parameters:
    ///   - lasting: How long until it falls back by itself; nil: until set again.
    ///   - whileAlive: The process with whose end it falls back; nil: none.
    /// - Returns: How many operations stopped waiting for it.
    package mutating func signalSet(
        _ name: SignalName, isOn: Bool, by setter: UserID, lasting: Span?,
        whileAlive: LeaseHolder? = nil, now: Now, into effects: inout Effects
    ) -> Int {
        let index = signalIndex(of: name, now: now, into: &effects)
        var record = signals[index]
        let wasOn = record.isOn
        record.isOn = isOn
        record.setter = setter
        record.until = lasting.map { now.instant + $0 }
        record.whileAlive = whileAlive
        if isOn { record.generation &+= 1 }
        if wasOn != isOn {
            record.changedAt = now.instant
            record.changedAtWall = now.wall
        }
        signals.set(index, to: record)
        effects.add(.saveSignal(index, record))
        signals.mayBeIdle(index)
        forgetIdleNames(into: &effects)
        return wasOn == isOn ? 0 : levelChanged(index, now: now, into: &effects)
    }

    /// The foreground of every scope is there for a while, also of those that nobody has named yet.
    ///
    /// A level that stands longer is not cut short.
    /// - Returns: How many operations stopped waiting for it.
    package mutating func foregroundOfAllSet(
        by setter: UserID, lasting: Span, now: Now, into effects: inout Effects
    ) -> Int {
        let until = now.instant + lasting
        foregroundOfAll = (setter, until)
        var released = 0
        for entry in signals.all {
            guard case .foreground = entry.record.name else { continue }
            if entry.record.isOn, entry.record.until ?? .never >= until { continue }
            released += signalSet(
                entry.record.name, isOn: true, by: setter, lasting: lasting, now: now,
                into: &effects)
        }
        return released
    }

    /// The processes while which levels stand, for watching their ends after a restart.
    package var levelsOfProcesses: [(holder: LeaseHolder, name: SignalName)] {
        signals.all.compactMap { entry in
            entry.record.whileAlive.map { ($0, entry.record.name) }
        }
    }

    /// A sign-in was refused: everything of its owner that names it waits for the renewal.
    mutating func credentialRefused(
        _ credential: SignalIndex, by id: OperationID, now: Now, into effects: inout Effects
    ) {
        guard signals.isOn(credential) else { return }
        var record = signals[credential]
        record.isOn = false
        record.changedAt = now.instant
        record.changedAtWall = now.wall
        record.until = nil
        record.whileAlive = nil
        signals.set(credential, to: record)
        effects.add(.saveSignal(credential, record))
        effects.add(.credentialRefused(record.name, by: id))
        _ = levelChanged(credential, now: now, into: &effects)
    }

    mutating func signalExpired(
        _ index: SignalIndex, now: Now, into effects: inout Effects
    ) {
        var record = signals[index]
        record.until = nil
        record.whileAlive = nil
        let wasOn = record.isOn
        record.isOn = record.name.initialLevel
        if record.isOn != wasOn {
            record.changedAt = now.instant
            record.changedAtWall = now.wall
        }
        signals.set(index, to: record)
        effects.add(.saveSignal(index, record))
        signals.mayBeIdle(index)
        if record.isOn != wasOn { _ = levelChanged(index, now: now, into: &effects) }
    }

    /// Shows the true face of all that depend on a signal whose level changed.
    ///
    /// - Returns: How many are no longer held for it.
    private mutating func levelChanged(
        _ signal: SignalIndex, now: Now, into effects: inout Effects
    ) -> Int {
        let released = signals.isOn(signal) ? signals.heldCount(signal) : 0
        let count = signals.unsettle(signal, at: now.instant)
        gather(expecting: signals.isOn(signal) ? count : 0)
        settleDependents(now: now, into: &effects)
        return released
    }

    /// Goes on with what a level changed, a bounded number at a time.
    mutating func settleDependents(now: Now, into effects: inout Effects) {
        guard signals.unsettledAt != nil else { return }
        for _ in 0..<Limits.settledPerTurnMax {
            guard let slot = signals.nextUnsettled(in: &table) else {
                return releaseGathered(now: now, into: &effects)
            }
            guard face(slot, at: now.instant) != shownFace(slot) else { continue }
            unplace(slot)
            settle(slot, .signal, now: now, into: &effects)
        }
        if signals.unsettledAt == nil { releaseGathered(now: now, into: &effects) }
    }

    /// A signal as ListSignals shows it.
    package struct SignalView: Hashable, Sendable {
        package var record: SignalRecord
        package var waiting: Int
    }

    /// The signals that concern a caller, in the order they were first named.
    package func signals(visibleTo caller: Caller) -> [SignalView] {
        signals.all.compactMap { entry in
            let isVisible =
                switch entry.record.name {
                case .network: true
                case .foreground(let scope, let owner):
                    caller.mayAct(onOperationsOf: owner) || scope == "user:\(caller.user)"
                case .credential(_, let owner), .custom(_, let owner):
                    caller.mayAct(onOperationsOf: owner)
                }
            return isVisible
                ? SignalView(record: entry.record, waiting: entry.held) : nil
        }
    }

    /// How many operations are held for a signal.
    package func heldCount(_ name: SignalName) -> Int {
        signals.index(of: name).map { signals.heldCount($0) } ?? 0
    }

    package func isOn(_ name: SignalName) -> Bool {
        signals.index(of: name).map { signals.isOn($0) } ?? name.initialLevel
    }
}
