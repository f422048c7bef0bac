package import RetryCore
package import RetryModel

/// What a store keeps of the core's effects, as a value: a test's stand-in for the disk.
package struct StoreModel: Hashable, Sendable {
    package struct Event: Hashable, Sendable {
        package var operation: OperationID
        package var until: Instant?
    }

    package private(set) var operations: [OperationID: OperationRecord] = [:]
    package private(set) var lanes: [LaneIndex: Lane] = [:]
    package private(set) var signals: [SignalIndex: SignalRecord] = [:]
    package private(set) var destinations: [DestinationIndex: DestinationRecord] = [:]
    package private(set) var pauses: [PauseIndex: PauseRecord] = [:]
    package private(set) var policyNames: [PolicyIndex: String] = [:]
    package private(set) var events: [UInt64: Event] = [:]
    /// The operations it had and removed.
    package private(set) var removed: Set<OperationID> = []
    package private(set) var reservedThrough = OperationID(rawValue: 0)

    package init() {}

    /// Commits what a batch of effects orders stored.
    package mutating func commit(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .save(let record): operations[record.id] = record
            case .remove(let id):
                operations[id] = nil
                removed.insert(id)
            case .saveLane(let index, let lane): lanes[index] = lane
            case .removeLane(let index): lanes[index] = nil
            case .removeSignal(let index): signals[index] = nil
            case .savePause(let index, let record): pauses[index] = record
            case .removePause(let index): pauses[index] = nil
            case .saveDestination(let index, let record): destinations[index] = record
            case .removeDestination(let index): destinations[index] = nil
            case .saveSignal(let index, let record): signals[index] = record
            case .savePolicyName(let index, let name): policyNames[index] = name
            case .saveEvent(let hash, let id, let until):
                events[hash] = Event(operation: id, until: until)
            case .removeEvent(let hash): events[hash] = nil
            case .reserveIDs(let through): reservedThrough = through
            case .changed, .credentialRefused, .becameReady, .breakerChanged, .herdReleased: break
            }
        }
    }

    /// A scheduler as it is after a start with this store.
    ///
    /// - Parameter effects: What the start itself orders stored, for the next batch.
    package func restored(
        seed: UInt64, limits: SchedulerLimits = SchedulerLimits(), policies: [Policy],
        ofQueues queues: [(queue: String, policy: String)] = [],
        destinations settings: DestinationSettings = DestinationSettings(),
        ramp: RampSettings = RampSettings(), now: Now,
        into effects: inout Effects
    ) -> Scheduler {
        var core = Scheduler(seed: seed, limits: limits)
        for (index, record) in signals.sorted(by: { $0.key < $1.key }) {
            core.signalRestored(index, record)
        }
        core.rampChanged(to: ramp)
        core.destinationsChanged(to: settings, now: now, into: &effects)
        for (index, record) in destinations.sorted(by: { $0.key < $1.key }) {
            core.destinationRestored(index, record, now: now)
        }
        for (index, record) in pauses.sorted(by: { $0.key < $1.key }) {
            core.pauseRestored(index, record)
        }
        for (index, lane) in lanes.sorted(by: { $0.key < $1.key }) {
            core.laneRestored(index, lane, now: now)
        }
        for (index, name) in policyNames.sorted(by: { $0.key < $1.key }) {
            core.policyNameRestored(index, name)
        }
        core.policiesChanged(to: policies, ofQueues: queues, into: &effects)
        core.idsRestored(reservedThrough: reservedThrough)
        for (_, record) in operations.sorted(by: { $0.key < $1.key }) {
            core.operationRestored(record, now: now, into: &effects)
        }
        for (hash, event) in events.sorted(by: { $0.key < $1.key }) {
            core.eventRestored(hash, event.operation, until: event.until, now: now)
        }
        core.recovered(now: now, into: &effects)
        return core
    }
}
