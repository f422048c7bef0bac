package import RetryModel

/// Which destinations there are: made with the first lane that names one, gone with the last.
extension Scheduler {
    /// The number of a lane's destination.
    mutating func destinationIndex(of lane: Lane, now: Now) -> DestinationIndex? {
        guard let name = destinationSettings.name(for: lane) else { return nil }
        if let known = destinations.index(of: name) { return known }
        return destinations.append(name, destinationSettings.policy(of: name.name), now: now)
    }

    /// Puts policies of destinations in force. Which destinations are shared is decided when a lane
    /// is first named: it changes for lanes that come.
    package mutating func destinationsChanged(
        to settings: DestinationSettings, now: Now, into effects: inout Effects
    ) {
        destinationSettings = settings
        for index in destinations.numbersInUse {
            destinations[index].policy = settings.policy(of: destinations[index].name.name)
            let policy = destinations[index].policy
            // A budget that is smaller now holds no more than fits.
            destinations[index].budget.take(0, policy, at: now.instant)
            follow(index, .breaker, now: now, into: &effects)
        }
    }

    /// A stored destination. Destinations are restored before lanes, their settings before them.
    package mutating func destinationRestored(
        _ index: DestinationIndex, _ record: DestinationRecord, now: Now
    ) {
        let policy = destinationSettings.policy(of: record.name.name)
        destinations.restore(index, record, policy, now: now)
    }

    /// The time line was moved, and with it the times of a destination that is stored.
    mutating func storeMoved(_ index: DestinationIndex, into effects: inout Effects) {
        guard destinations[index].stored != nil else { return }
        let record = destinations[index].record
        destinations[index].stored = record
        effects.add(.saveDestination(index, record))
    }

    /// Stores a destination of which something changed that a restart must not forget: its breaker
    /// and the failures that lead to it, or a fifth of its budget.
    mutating func storeDestination(_ index: DestinationIndex, into effects: inout Effects) {
        let entry = destinations[index]
        let full = entry.policy.budgetMax * 1_000
        let stored = entry.stored
        let moved = abs(entry.budget.storedMilli - (stored?.tokensMilli ?? full))
        let isSame = moved * 5 < max(full, 1)
        let isClosed = stored == nil && entry.breaker == .closed && entry.failures == 0
        if isSame, isClosed || stored.map({ entry.hasSameBreaker(as: $0) }) ?? false { return }
        let record = entry.record
        destinations[index].stored = record
        effects.add(.saveDestination(index, record))
    }

    /// Forgets a destination no lane names any more.
    mutating func removeDestination(_ index: DestinationIndex, into effects: inout Effects) {
        if destinations[index].stored != nil { effects.add(.removeDestination(index)) }
        destinations.remove(index)
    }

    /// A destination as ListDestinations shows it.
    package struct DestinationView: Hashable, Sendable {
        package var name: DestinationName
        package var breaker: BreakerState
        /// When an open breaker lets a probe through; nil: it is not open.
        package var until: Instant?
        /// When the breaker last changed.
        package var since: WallTime
        /// Failures in a row, while the breaker is closed.
        package var failures: Int
        package var tokensMilli: Int64
        package var policy: DestinationPolicy
        /// Attempts that run.
        package var leased: Int
        /// Operations that wait, but those that a signal holds.
        package var waiting: Int
    }

    /// How many destinations are not known to work: their breakers are open or probe.
    package var destinationsDown: Int {
        destinations.numbersInUse.reduce(0) { count, index in
            destinations[index].breaker.state == .closed ? count : count + 1
        }
    }

    /// The destinations that concern a caller: its own, those it shares and has operations for,
    /// or all; by name, then owner.
    package func destinations(visibleTo caller: Caller, now: Now) -> [DestinationView] {
        let visible = destinations.numbersInUse.filter { index in
            if caller.isAdmin { return true }
            if let owner = destinations[index].name.owner { return owner == caller.user }
            return destinations[index].groups.contains { ready.owner($0) == caller.user }
        }
        return visible.map { view(of: $0, now: now) }.sorted { left, right in
            (left.name.name, left.name.owner ?? 0) < (right.name.name, right.name.owner ?? 0)
        }
    }

    private func view(of index: DestinationIndex, now: Now) -> DestinationView {
        let entry = destinations[index]
        var until: Instant?
        if case .open(let end) = entry.breaker { until = end }
        return DestinationView(
            name: entry.name, breaker: entry.breaker.state, until: until, since: entry.since,
            failures: Int(entry.failures),
            tokensMilli: entry.budget.milli(entry.policy, at: now.instant), policy: entry.policy,
            leased: entry.leasedCount,
            waiting: entry.groups.reduce(0) { $0 + ready.waitingCount($1) })
    }
}

extension DestinationTable.Entry {
    fileprivate var record: DestinationRecord {
        var record = DestinationRecord(
            name: name, tokensMilli: budget.storedMilli, tokensAt: budget.at, since: since)
        record.breaker = breaker.state
        record.openings = openings
        record.failures = failures
        switch breaker {
        case .closed: break
        case .open(let until): record.until = until
        case .halfOpen(let probe): record.probe = probe
        }
        return record
    }

    fileprivate func hasSameBreaker(as stored: DestinationRecord) -> Bool {
        let present = record
        return present.breaker == stored.breaker && present.probe == stored.probe
            && present.failures == stored.failures
            && (present.breaker != .open || present.until == stored.until)
    }
}
