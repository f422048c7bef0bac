import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Taking in what the store holds, at a start and after a failed commit.
extension Engine {
    /// The store thread must not run.
    ///
    /// - Parameter progress: Called now and then with the number of operations read so far.
    func restore(progress: @escaping (Int) -> Void = { _ in }) throws(StoreError) {
        // How long a restored lease stands is one of them.
        putLimitsInForce()
        putDestinationsInForce()
        var visitor = Restorer(engine: self, progress: progress)
        try store.recover(into: &visitor)
        scheduler.recovered(now: now, into: &effects)
        // What the core ordered while it was filled follows from the disk.
        effects.removeAll()
    }

    private func putLimitsInForce() {
        let configured = settings.configuration.limits
        let retention = settings.configuration.retention
        var limits = SchedulerLimits()
        limits.operationsMax = configured.operationsMax
        limits.operationsPerUserMax = configured.operationsPerUserMax
        limits.bytesPerUserMax = configured.bytesPerUserMax
        limits.endedKept = retention.ended
        limits.endedKeptMax = retention.endedCountMax
        limits.deadKept = retention.dead
        limits.deadKeptMax = retention.deadCountMax
        limits.eventKept = retention.events
        limits.reconnectGrace = configured.reconnectGrace
        limits.restartGrace = configured.restartGrace
        scheduler.limitsChanged(to: limits)
        scheduler.rampChanged(to: settings.configuration.ramp)
    }

    private func putDestinationsInForce() {
        scheduler.destinationsChanged(
            to: settings.configuration.destinations, now: now, into: &effects)
    }

    /// Puts the configuration's policies and limits into the core.
    func putPoliciesInForce() {
        putLimitsInForce()
        putDestinationsInForce()
        let configuration = settings.configuration
        let ofQueues = configuration.queues.keys.sorted().compactMap { name in
            configuration.queues[name]?.policy.map { (queue: name, policy: $0) }
        }
        scheduler.policiesChanged(
            to: configuration.policies, ofQueues: ofQueues, into: &effects)
        // New names are put in force again, and stored, when the store can be written.
        if storeState == .serving { carryOutEffects() } else { effects.removeAll() }
    }
}

/// Gives the store's rows to the core as they come.
private struct Restorer: StoreVisitor {
    let engine: Engine
    let progress: (Int) -> Void
    private var count = 0

    init(engine: Engine, progress: @escaping (Int) -> Void) {
        self.engine = engine
        self.progress = progress
    }

    func facts(_ facts: StoreFacts) {
        engine.hashKeys = (facts.secret, facts.secret2)
        engine.scheduler.idsRestored(
            reservedThrough: OperationID(rawValue: facts.idsReservedThrough))
        // The line of a run goes on: moments on it are kept outside the core as well.
        if !engine.isTimeLineRestored {
            engine.timeLine = TimeLine(
                bootID: engine.identity.bootID, stored: facts.anchor,
                boottimeUsec: Clocks.boottimeUsec(), wallUsec: Clocks.realtimeUsec(),
                isClockTrusted: ClockWatch.isTrusted)
            engine.isTimeLineRestored = true
        }
        engine.beginTurn()
    }

    func rule(_ index: RuleIndex, name: String, packHash: UInt64) {
        engine.ruleNames.restore(index, name: name)
    }

    func policyName(_ index: PolicyIndex, _ name: String) {
        engine.scheduler.policyNameRestored(index, name)
    }

    func destination(_ index: DestinationIndex, _ destination: DestinationRecord) {
        engine.scheduler.destinationRestored(index, destination, now: engine.now)
    }

    func pause(_ index: PauseIndex, _ pause: PauseRecord) {
        engine.scheduler.pauseRestored(index, pause)
    }

    func lane(_ index: LaneIndex, _ lane: Lane) {
        engine.scheduler.laneRestored(index, lane, now: engine.now)
    }

    func signal(_ index: SignalIndex, _ signal: SignalRecord) {
        engine.scheduler.signalRestored(index, signal)
    }

    func event(_ hash: UInt64, _ id: OperationID, until: Instant?) {
        engine.scheduler.eventRestored(hash, id, until: until, now: engine.now)
    }

    mutating func operation(_ record: OperationRecord) {
        count += 1
        if count % StartProgress.lookEvery == 0 { progress(count) }
        engine.scheduler.operationRestored(record, now: engine.now, into: &engine.effects)
        engine.effects.removeAll()
    }
}
