package import RetryModel

extension Scheduler {
    /// Somebody set a level.
    ///
    /// Setting a level that stands already still counts: it renews the TTL and the generation.
    /// - Parameter lasting: How long until it falls back by itself; nil: until set again.
    /// - Returns: How many operations stopped waiting for it.
    package mutating func signalSet(
        _ name: SignalName, isOn: Bool, by setter: UserID, lasting: Span?, now: Now,
        into effects: inout Effects
    ) -> Int {
        let index = signalIndex(of: name, now: now, into: &effects)
        var record = signals[index]
        let wasOn = record.isOn
        record.isOn = isOn
        record.setter = setter
        record.until = lasting.map { now.instant + $0 }
        if isOn { record.generation &+= 1 }
        if wasOn != isOn {
            record.changedAt = now.instant
            record.changedAtWall = now.wall
        }
        signals.set(index, to: record)
        effects.add(.saveSignal(index, record))
        return isOn ? release(index, now: now, into: &effects) : 0
    }

    /// A sign-in was refused: everything of its owner that names it waits for the renewal.
    mutating func credentialRefused(
        _ credential: SignalIndex, now: Now, into effects: inout Effects
    ) {
        guard signals.isOn(credential) else { return }
        var record = signals[credential]
        record.isOn = false
        record.changedAt = now.instant
        record.changedAtWall = now.wall
        record.until = nil
        signals.set(credential, to: record)
        effects.add(.saveSignal(credential, record))
        for slot in 0..<table.slotsUsed where table.isOccupied(slot) {
            guard table[slot].state == .scheduled || table[slot].state == .ready,
                lanes[table[slot].lane].credential == credential,
                positions[Int(slot)] != noSlot
            else { continue }
            unplace(slot)
            settle(slot, now: now, into: &effects)
        }
    }

    mutating func signalExpired(
        _ index: SignalIndex, now: Now, into effects: inout Effects
    ) {
        var record = signals[index]
        record.until = nil
        let level = record.name.initialLevel
        if record.isOn != level {
            record.isOn = level
            record.changedAt = now.instant
            record.changedAtWall = now.wall
        }
        signals.set(index, to: record)
        effects.add(.saveSignal(index, record))
        if level { _ = release(index, now: now, into: &effects) }
    }

    private mutating func release(
        _ signal: SignalIndex, now: Now, into effects: inout Effects
    ) -> Int {
        var count = 0
        // Each waiter leaves this list; settling may put it into another one, never back here,
        // because the level is on.
        while signals.firstWaiting(signal) != noSlot {
            let slot = signals.firstWaiting(signal)
            unplace(slot)
            settle(slot, now: now, into: &effects)
            count += 1
        }
        return count
    }

    /// A signal as ListSignals shows it.
    package struct SignalView: Hashable, Sendable {
        package var record: SignalRecord
        package var waiting: Int
    }

    /// The signals that concern a caller, in the order they were first named.
    package func signals(visibleTo caller: Caller) -> [SignalView] {
        signals.entries.compactMap { entry in
            let isVisible =
                switch entry.record.name {
                case .network: true
                case .foreground(let scope, let owner):
                    caller.mayAct(onOperationsOf: owner) || scope == "user:\(caller.user)"
                case .credential(_, let owner), .custom(_, let owner):
                    caller.mayAct(onOperationsOf: owner)
                }
            return isVisible
                ? SignalView(record: entry.record, waiting: entry.waiting.count) : nil
        }
    }

    package func isOn(_ name: SignalName) -> Bool {
        signals.index(of: name).map { signals.isOn($0) } ?? name.initialLevel
    }
}
