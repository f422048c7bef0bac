import RetryModel

/// Budget, breaker and concurrency of destinations. They learn only from reports of leased attempts
/// and from leases that ran out.
extension Scheduler {
    /// What an attempt said about its destination.
    enum Evidence {
        /// It did what was asked.
        case succeeded
        /// It answered, and what was asked is at fault.
        case answered
        /// It did not do its part, and may later.
        case failed
        /// Nothing was learnt: the attempt was not made, or something else was missing.
        case nothing
        /// Its worker did not report in time.
        case ranOut
        /// It was cancelled, or its worker died: that says nothing about the destination.
        case unknown
    }

    static func evidence(of verdict: Verdict) -> Evidence {
        switch (verdict.disposition, verdict.condition) {
        case (.retry, .now): .failed
        case (.retry, .whenForeground), (.retry, .network), (.retry, .custom): .nothing
        case (.newFlow, _), (.reauthenticate, _), (.permanent, _): .answered
        }
    }

    /// An attempt of a group begins.
    mutating func attemptBegins(
        _ id: OperationID, _ group: ReadyQueues.GroupIndex, now: Now, into effects: inout Effects
    ) {
        guard let index = ready.key(group).destination else { return }
        let policy = destinations[index].policy
        destinations[index].budget.take(policy.attemptCost, policy, at: now.instant)
        if case .halfOpen(probe: nil) = destinations[index].breaker {
            destinations[index].breaker = .halfOpen(probe: id)
        }
        follow(index, .breaker, now: now, into: &effects)
    }

    /// An attempt ended; its operation is in no place.
    mutating func attemptEnded(
        _ slot: SlotNumber, _ evidence: Evidence, now: Now, into effects: inout Effects
    ) {
        let id = table[slot].id
        let group = lanes[table[slot].lane].group
        guard let index = ready.key(group).destination else { return }
        settleBudget(index, evidence, now: now)
        settleBreaker(index, id, evidence, now: now, into: &effects)
        follow(index, .breaker, now: now, into: &effects)
    }

    private mutating func settleBudget(
        _ index: DestinationIndex, _ evidence: Evidence, now: Now
    ) {
        let policy = destinations[index].policy
        let tokens: Int64 =
            switch evidence {
            case .succeeded: -(policy.attemptCost + policy.successBonus)
            case .answered, .failed, .unknown: 0
            case .nothing: -policy.attemptCost
            case .ranOut: max(policy.lostCost - policy.attemptCost, 0)
            }
        destinations[index].budget.take(tokens, policy, at: now.instant)
    }

    private mutating func settleBreaker(
        _ index: DestinationIndex, _ id: OperationID, _ evidence: Evidence, now: Now,
        into effects: inout Effects
    ) {
        switch destinations[index].breaker {
        case .closed:
            switch evidence {
            case .succeeded, .answered: destinations[index].failures = 0
            case .nothing, .unknown: break
            case .failed, .ranOut:
                if destinations[index].failures < .max { destinations[index].failures += 1 }
                let most = destinations[index].policy.failuresMax
                if most > 0, destinations[index].failures >= most {
                    open(index, now: now, into: &effects)
                }
            }
        case .halfOpen(let probe?) where probe == id:
            switch evidence {
            case .succeeded, .answered:
                destinations[index].failures = 0
                destinations[index].openings = 0
                setBreaker(index, .closed, now: now, into: &effects)
            case .failed, .ranOut: open(index, now: now, into: &effects)
            case .nothing, .unknown:
                setBreaker(index, .halfOpen(probe: nil), now: now, into: &effects)
            }
        // Attempts that began before it opened tell nothing new.
        case .open, .halfOpen: break
        }
    }

    /// Opens a breaker, each time for twice as long, half of which is left to chance: hosts that
    /// failed together are not to probe together.
    private mutating func open(
        _ index: DestinationIndex, now: Now, into effects: inout Effects
    ) {
        let policy = destinations[index].policy
        let doublings = Int64(min(destinations[index].openings, 40))
        let span = min(policy.openFirst * (1 << doublings), policy.openMax)
        let half = span.usec / 2
        let drawn = Span(usec: half + random.number(through: span.usec - half))
        if destinations[index].openings < .max { destinations[index].openings += 1 }
        setBreaker(index, .open(until: now.instant + drawn), now: now, into: &effects)
    }

    private mutating func setBreaker(
        _ index: DestinationIndex, _ breaker: DestinationTable.Breaker, now: Now,
        into effects: inout Effects
    ) {
        let before = destinations[index].breaker.state
        destinations[index].breaker = breaker
        guard breaker.state != before else { return }
        destinations[index].since = now.wall
        effects.add(.breakerChanged(destinations[index].name, breaker.state))
    }

    /// Tells the groups of a destination what stops them, when that changed, and stores it when it
    /// changed materially.
    mutating func follow(
        _ index: DestinationIndex, _ trigger: ReleaseTrigger, now: Now, into effects: inout Effects
    ) {
        let block = destinations.block(index, at: now.instant)
        destinations.setWake(index, destinations.blockEnd(index, at: now.instant))
        if block != destinations[index].told {
            destinations[index].told = block
            for group in destinations[index].groups {
                if case .paused = ready.block(group) { continue }
                setBlock(group, block, trigger, now: now, into: &effects)
            }
            releaseHerd(now: now, into: &effects)
        }
        storeDestination(index, into: &effects)
    }

    /// The time has come for destinations: a breaker that lets a probe through, a budget that
    /// holds an attempt again.
    mutating func wakeDestinations(now: Now, into effects: inout Effects) {
        while let wake = destinations.nextWake, wake.at <= now.instant {
            if case .open(let until) = destinations[wake.index].breaker, until <= now.instant {
                setBreaker(wake.index, .halfOpen(probe: nil), now: now, into: &effects)
            }
            follow(wake.index, .breaker, now: now, into: &effects)
        }
    }
}

extension DestinationTable.Breaker {
    var state: BreakerState {
        switch self {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        }
    }
}
