import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Taking in what the store holds, at a start and after a failed commit.
extension Engine {
    /// The store thread must not run.
    func restore() throws(StoreError) {
        var visitor = Restorer(engine: self)
        try store.recover(into: &visitor)
        scheduler.recovered()
        // What the core ordered while it was filled follows from the disk.
        effects.removeAll()
    }

    /// Puts the configuration's policies and limits into the core.
    func putPoliciesInForce() {
        let configuration = settings.configuration
        var limits = SchedulerLimits()
        limits.operationsMax = configuration.limits.operationsMax
        limits.operationsPerUserMax = configuration.limits.operationsPerUserMax
        limits.endedKept = configuration.retention.ended
        limits.endedKeptMax = configuration.retention.endedCountMax
        limits.deadKept = configuration.retention.dead
        limits.deadKeptMax = configuration.retention.deadCountMax
        scheduler.limitsChanged(to: limits)
        let ofQueues = configuration.queues.keys.sorted().compactMap { name in
            configuration.queues[name]?.policy.map { (queue: name, policy: $0) }
        }
        scheduler.policiesChanged(
            to: configuration.policies, ofQueues: ofQueues, into: &effects)
        carryOutEffects()
    }
}

/// Gives the store's rows to the core as they come.
private struct Restorer: StoreVisitor {
    let engine: Engine

    func facts(_ facts: StoreFacts) {
        engine.hashKeys = (facts.secret, facts.secret2)
        engine.scheduler.idsRestored(
            reservedThrough: OperationID(rawValue: facts.idsReservedThrough))
        engine.timeLine = TimeLine(
            bootID: engine.identity.bootID, stored: facts.anchor,
            boottimeUsec: Clocks.boottimeUsec(), wallUsec: Clocks.realtimeUsec())
        engine.beginTurn()
    }

    func rule(_ index: RuleIndex, name: String, packHash: UInt64) {
        engine.ruleNames.restore(index, name: name)
    }

    func policyName(_ index: PolicyIndex, _ name: String) {
        engine.scheduler.policyNameRestored(index, name)
    }

    func lane(_ index: LaneIndex, _ lane: Lane) {
        engine.scheduler.laneRestored(lane, now: engine.now)
    }

    func signal(_ index: SignalIndex, _ signal: SignalRecord) {
        engine.scheduler.signalRestored(signal)
    }

    func event(_ hash: UInt64, _ id: OperationID, until: Instant?) {
        engine.scheduler.eventRestored(hash, id, until: until, now: engine.now)
    }

    func operation(_ record: OperationRecord) {
        engine.scheduler.operationRestored(record, now: engine.now, into: &engine.effects)
        engine.effects.removeAll()
    }
}
