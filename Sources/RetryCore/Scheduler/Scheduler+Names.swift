package import RetryModel

/// Numbers for what many operations share: lanes, signals, policies. A number once stored keeps
/// its meaning for the life of the store.
extension Scheduler {
    /// The lane's number; a new lane is stored.
    mutating func laneIndex(
        of lane: Lane, now: Now, into effects: inout Effects
    ) -> LaneIndex {
        if let known = lanes.index(of: lane) { return known }
        let foreground = signalIndex(
            of: .foreground(of: lane.scope, for: lane.owner), now: now, into: &effects)
        let credential = lane.credential.map {
            signalIndex(of: .credential(name: $0, owner: lane.owner), now: now, into: &effects)
        }
        let group = group(of: lane, credential: credential, now: now, into: &effects)
        signals.retain(foreground)
        if let credential { signals.retain(credential) }
        let index = lanes.append(
            lane,
            LaneTable.Facts(
                owner: lane.owner, ownerNumber: owners.number(of: lane.owner), group: group,
                credential: credential, foreground: foreground),
            policies)
        effects.add(.saveLane(index, lane))
        return index
    }

    /// The group of a new lane, with what stops it.
    private mutating func group(
        of lane: Lane, credential: SignalIndex?, now: Now, into effects: inout Effects
    ) -> ReadyQueues.GroupIndex {
        let destination = destinationIndex(of: lane, now: now)
        let group = ready.retainGroup(
            queue: lane.queue, owner: lane.owner, destination: destination,
            credential: credential)
        guard ready.lanesOf(group) == 1 else { return group }
        if let destination { destinations[destination].groups.append(group) }
        setBlock(group, blockNow(group, now: now), .start, now: now, into: &effects)
        return group
    }

    /// The signal's number; a signal nobody named before is stored at its initial level.
    mutating func signalIndex(
        of name: SignalName, now: Now, into effects: inout Effects
    ) -> SignalIndex {
        if let known = signals.index(of: name) { return known }
        var record = SignalRecord(
            name: name, isOn: name.initialLevel, setter: 0, changedAt: now.instant,
            changedAtWall: now.wall)
        if case .foreground = name, let all = foregroundOfAll, all.until > now.instant {
            record.isOn = true
            record.setter = all.setter
            record.until = all.until
        }
        let index = signals.append(record)
        effects.add(.saveSignal(index, record))
        return index
    }

    /// The signal a decision's condition means for a lane; nil for `now`.
    mutating func signalIndex(
        for condition: Condition, lane: LaneIndex, now: Now, into effects: inout Effects
    ) -> SignalIndex? {
        switch condition {
        case .now:
            return nil
        case .whenForeground:
            return lanes[lane].foreground
        case .network:
            return signalIndex(of: .network, now: now, into: &effects)
        case .custom(let name):
            let owner = lanes[lane].owner
            return signalIndex(of: .custom(name: name, owner: owner), now: now, into: &effects)
        }
    }

    /// The policy of a decision: what the operation asked for, else the rule, else the queue,
    /// else `default`. A name that is not in force falls through to the next.
    func policyIndex(_ lane: LaneTable.Facts, _ verdict: Verdict) -> PolicyIndex {
        if let index = lane.policy { return index }
        if let name = verdict.policy, let index = policies.index(named: name) { return index }
        return lane.queuePolicy ?? 0
    }

    /// Puts policies in force. Decisions already made keep their due times.
    package mutating func policiesChanged(
        to policies: [Policy], ofQueues queues: [(queue: String, policy: String)],
        into effects: inout Effects
    ) {
        let added = self.policies.replace(with: policies, ofQueues: queues)
        for (index, name) in added { effects.add(.savePolicyName(index, name)) }
        lanes.policiesChanged(to: self.policies)
    }

    package mutating func limitsChanged(to limits: SchedulerLimits) {
        self.limits = limits
    }

    package func lane(_ index: LaneIndex) -> Lane { lanes.lane(index) }
}
