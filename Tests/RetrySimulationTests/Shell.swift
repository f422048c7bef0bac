import RetryCore
import RetryModel
import Support

/// What stands around the core in the daemon, without sockets and disk: it tells events, collects
/// effects in batches, commits them and holds every answer until its batch is stored.
///
/// Planted bugs live here.
struct Shell {
    struct Batch {
        var number: Int
        var effects: [Effect] = []
        /// The ledger as it is once this batch is stored.
        var ledger = Ledger()
    }

    private(set) var core: Scheduler
    private(set) var store: StoreModel
    private(set) var filling: Batch
    private(set) var inFlight: Batch?
    private(set) var storedThrough = 0
    /// What was true when the last stored batch was filled.
    private var storedLedger = Ledger()
    private var held: [(batch: Int, answer: Answer)] = []
    /// Queues of which something may be ready for workers that wait.
    var readyQueues: Set<QueueIndex> = []
    let bug: PlantedBug?

    private var effects = Effects()
    private let seed: UInt64
    /// For a shell that hands a grant out twice.
    private var lastGrant: Grant?
    /// For a store that forgets its last batch.
    private var storeBefore = StoreModel()

    init(seed: UInt64, bug: PlantedBug?) {
        self.seed = seed
        self.bug = bug
        core = Scheduler(seed: seed, limits: World.limits)
        store = StoreModel()
        filling = Batch(number: 1)
        let start = Now(instant: Instant(usec: 1), wall: WallTime(usec: 1))
        core.destinationsChanged(to: World.destinations, now: start, into: &effects)
        core.rampChanged(to: bug == .rampIsForgotten ? RampSettings() : World.ramp)
        core.policiesChanged(
            to: World.policies, ofQueues: World.policiesOfQueues, into: &effects)
        filling.effects = effects.all
        effects.removeAll()
    }

    // MARK: Events

    /// Tells the core one event and returns with its answer the effects, in their order.
    mutating func tell<Result>(
        _ event: (inout Scheduler, inout Effects) throws -> Result
    ) rethrows -> (result: Result, effects: [Effect]) {
        effects.removeAll()
        let result = try event(&core, &effects)
        return (result, take(effects.all))
    }

    private mutating func take(_ all: [Effect]) -> [Effect] {
        for effect in all {
            if case .becameReady(let queue) = effect, bug != .readyIsNotTold {
                readyQueues.insert(queue)
            }
            if !isForgotten(effect) { filling.effects.append(effect) }
        }
        return all
    }

    private func isForgotten(_ effect: Effect) -> Bool {
        switch effect {
        case .save(let record): bug == .leaseIsNotStored && record.state == .leased
        case .remove: bug == .removalsAreForgotten
        case .savePause: bug == .pausesAreNotStored
        case .saveDestination: bug == .destinationsAreNotStored
        case .reserveIDs: bug == .reservationsAreNotStored
        case .saveLane, .removeLane, .saveSignal, .removeSignal, .savePolicyName, .saveEvent,
            .removeEvent, .removePause, .removeDestination,
            .changed, .credentialRefused, .breakerChanged, .herdReleased, .becameReady:
            false
        }
    }

    // MARK: Events in which a bug may sit

    mutating func timePassed(now: Now) -> [Effect] {
        var told = now
        if bug == .clockRunsAhead { told.instant = now.instant + .seconds(5) }
        return tell { core, effects in core.timePassed(now: told, into: &effects) }.effects
    }

    mutating func lease(
        queue: String, count: Int, holder: LeaseHolder, now: Now
    ) -> (result: [Grant], effects: [Effect]) {
        var (grants, effects) = tell { core, effects in
            core.leaseAsked(
                queue: queue, count: count, holder: holder, visibility: nil,
                mayRun: { _ in true }, now: now, into: &effects)
        }
        if bug == .grantsAreHandedOutTwice, let last = lastGrant { grants.append(last) }
        lastGrant = grants.first
        return (grants, effects)
    }

    mutating func report(
        _ id: OperationID, _ token: LeaseToken, _ outcome: AttemptOutcome, now: Now
    ) throws -> (result: Decision?, effects: [Effect]) {
        var token = token
        if bug == .lateTokensAreRenewed, let record = core.view(id, now: now)?.record {
            token = record.token
        }
        return try tell { core, effects in
            try core.attemptReported(
                id, token: token, outcome, by: World.worker, now: now, into: &effects)
        }
    }

    mutating func holderDied(_ holder: LeaseHolder, now: Now) -> [Effect] {
        guard bug == .lossesAreReportedAsFailures else {
            return tell { core, effects in
                _ = core.holderDied(holder, now: now, into: &effects)
            }.effects
        }
        var all: [Effect] = []
        for id in core.ids(where: { $0.state == .leased }) {
            guard let record = core.view(id, now: now)?.record, record.lease?.holder == holder
            else {
                continue
            }
            let told = ToldFailure(Verdict(disposition: .retry, rule: 0), rule: 1)
            let outcome = AttemptOutcome.failed(told, eventHash: 0)
            let reported = try? report(id, record.token, outcome, now: now)
            all += reported?.effects ?? []
        }
        return all
    }

    mutating func disconnect(_ holder: LeaseHolder, now: Now) {
        core.holderDisconnected(holder, now: now)
    }

    // MARK: Batches and answers

    /// The batch after whose commit an answer made now may leave.
    private var batchOfAnswers: Int {
        filling.effects.isEmpty ? filling.number - 1 : filling.number
    }

    mutating func answer(_ answer: Answer) {
        held.append((bug == .answersAtOnce ? 0 : batchOfAnswers, answer))
    }

    /// The filling batch begins to be written, when none is being written.
    mutating func handOver(_ ledger: Ledger) {
        guard inFlight == nil, !filling.effects.isEmpty else { return }
        filling.ledger = ledger
        inFlight = filling
        filling = Batch(number: filling.number + 1)
    }

    /// The batch in flight is on the disk.
    mutating func commitFinished() {
        guard let batch = inFlight else { return }
        storeBefore = store
        store.commit(batch.effects)
        storedThrough = batch.number
        storedLedger = batch.ledger
        inFlight = nil
    }

    /// The answers that may leave.
    mutating func takeAnswers() -> [Answer] {
        let count = held.prefix { $0.batch <= storedThrough }.count
        defer { held.removeFirst(count) }
        return held.prefix(count).map { $0.answer }
    }

    // MARK: Crash

    /// The daemon is killed and started again: what was not committed is lost, the answers too.
    ///
    /// - Parameter commitsFirst: The commit in flight reached the disk before the kill, but
    ///   nobody was told.
    /// - Returns: The ledger of what is stored, and what the start itself ordered.
    mutating func restart(
        commitsFirst: Bool, now: Now
    ) -> (ledger: Ledger, effects: [Effect]) {
        if commitsFirst { commitFinished() }
        if bug == .storeForgetsItsLastBatch { store = storeBefore }
        inFlight = nil
        held.removeAll()
        readyQueues.removeAll()
        filling = Batch(number: storedThrough + 1)
        effects.removeAll()
        core = store.restored(
            seed: seed &+ UInt64(storedThrough), limits: World.limits, policies: World.policies,
            ofQueues: World.policiesOfQueues, destinations: World.destinations,
            ramp: bug == .rampIsForgotten ? RampSettings() : World.ramp, now: now,
            into: &effects)
        return (storedLedger, take(effects.all))
    }

    // MARK: Looks

    func reasons(_ id: OperationID, now: Now) -> [Reason] {
        let reasons = core.reasons(id, now: now)
        guard bug == .reasonsOfHeldOnesAreHidden, core.view(id, now: now)?.state == .held else {
            return reasons
        }
        return Array(reasons.dropFirst())
    }
}

/// An answer on its way to who asked.
enum Answer {
    case submitted(OperationID)
    case granted(LeaseHolder, [Grant])
    case reported(OperationID, LeaseToken, succeeded: Bool)
    case cancelled(OperationID)
}
