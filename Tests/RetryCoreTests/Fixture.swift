import RetryModel
import Support
import Testing

@testable import RetryCore

/// A scheduler with clocks of its own. Every act checks the invariants afterwards.
///
/// Its policy has no jitter, so dues are exact: 2 s, 4 s, 8 s and so on.
struct Fixture {
    var core: Scheduler
    var now = Fixture.start
    /// Of the last act.
    var effects = Effects()
    /// A test with thousands of operations looks at all of them at its end only.
    var checksEveryAct = true
    /// Everything that was ordered so far, for a restart.
    private(set) var log: [Effect] = []
    var everything: [Effect] { log }

    static let start = Now(
        instant: Instant(usec: 1_000_000_000), wall: WallTime(usec: 1_700_000_000_000_000))

    static let owner = Caller(user: 1_000, isAdmin: false)
    static let stranger = Caller(user: 2_000, isAdmin: false)
    static let admin = Caller(user: 0, isAdmin: true)
    static let worker = LeaseHolder(user: 1_000, process: 71, startTicks: 9)
    static let otherWorker = LeaseHolder(user: 1_000, process: 72, startTicks: 9)
    /// Of a user that owns nothing.
    static let foreignWorker = LeaseHolder(user: 3_000, process: 73, startTicks: 9)
    static let foreignCaller = Caller(user: 3_000, isAdmin: false)

    static var exact: Policy {
        var policy = Policy.standard
        policy.jitter = .none
        return policy
    }

    init(
        seed: UInt64 = 42, limits: SchedulerLimits = SchedulerLimits(),
        policies: [Policy] = [Fixture.exact], ofQueues: [(queue: String, policy: String)] = []
    ) {
        core = Scheduler(seed: seed, limits: limits)
        core.policiesChanged(to: policies, ofQueues: ofQueues, into: &effects)
    }

    /// A scheduler that took in what a store kept: operations of one lane.
    static func restored(
        _ records: [OperationRecord], lane: Lane, _ policy: Policy = Fixture.exact
    ) throws -> Fixture {
        var fixture = Fixture(policies: [policy])
        let foreground = SignalName.foreground(of: lane.scope, for: lane.owner)
        fixture.core.signalRestored(
            0,
            SignalRecord(
                name: foreground, isOn: foreground.initialLevel, setter: 0,
                changedAt: fixture.now.instant, changedAtWall: fixture.now.wall))
        fixture.core.laneRestored(0, lane, now: fixture.now)
        for record in records {
            fixture.core.operationRestored(record, now: fixture.now, into: &fixture.effects)
        }
        fixture.core.recovered(now: fixture.now, into: &fixture.effects)
        fixture.check()
        return fixture
    }

    // MARK: Time

    /// Both clocks go on, and what comes due on the way happens in its order.
    mutating func pass(_ span: Span) {
        effects.removeAll()
        let end = now.instant + span
        while let due = core.nextDue, due <= end {
            if due > now.instant { advance(to: due) }
            core.timePassed(now: now, into: &effects)
            check()
        }
        advance(to: end)
    }

    /// The wall clock alone is set, forward or back.
    mutating func stepWall(_ span: Span) {
        effects.removeAll()
        now.wall = now.wall + span
        core.clockStepped(now: now, into: &effects)
        check()
    }

    /// The wall clock is set, and the line moved forward by what the host was off for longer than
    /// the clock told at the boot.
    mutating func makeGood(_ lag: Span, of boot: Now, wall: WallTime) {
        effects.removeAll()
        now = Now(instant: now.instant + lag, wall: wall)
        core.lineMoved(by: lag, of: boot, now: now, into: &effects)
        check()
    }

    private mutating func advance(to moment: Instant) {
        now.wall = now.wall(of: moment)
        now.instant = moment
    }

    // MARK: Acts

    /// What an owner hands over; the members that matter to a test.
    struct Order {
        var owner: UserID = 1_000
        var queue = "mail.send"
        var destination: String?
        var credential: String?
        var scope: String?
        var policy: String?
        var keyHash: UInt64 = 0
        var eventHash: UInt64 = 0
        var priority: Int8 = 0
        var isIdempotent: Bool?
        var retriesUnknown = false
        var deadline: WallTime?
        var bytes = 0
        var verdict = Verdict.again

        var submission: Submission {
            var submission = Submission(
                lane: Lane(
                    owner: owner, group: owner, queue: queue, kind: .custom,
                    destination: destination, credential: credential,
                    scope: scope ?? "user:\(owner)", policy: policy))
            submission.keyHash = keyHash
            submission.eventHash = eventHash
            submission.priority = priority
            submission.isIdempotent = isIdempotent
            submission.retriesUnknown = retriesUnknown
            submission.deadline = deadline
            submission.bytes = bytes
            return submission
        }

        var failure: ToldFailure { ToldFailure(verdict) }
    }

    @discardableResult
    mutating func submit(_ order: Order = Order()) throws -> (id: OperationID, decision: Decision) {
        effects.removeAll()
        let answer = try core.operationSubmitted(
            order.submission, order.failure, now: now, into: &effects)
        check()
        return answer
    }

    mutating func submitAgain(
        _ id: OperationID, _ mode: KeyMode, _ order: Order
    ) -> Scheduler.KeyOutcome {
        effects.removeAll()
        let outcome = core.keySubmittedAgain(
            id, mode: mode, order.submission, order.failure, now: now, into: &effects)
        check()
        return outcome
    }

    mutating func lease(
        _ count: Int = 1, queue: String = "mail.send", by holder: LeaseHolder = Fixture.worker,
        visibility: Span? = nil, mayRun: (UserID) -> Bool = { _ in true }
    ) -> [Grant] {
        effects.removeAll()
        let grants = core.leaseAsked(
            queue: queue, count: count, holder: holder, visibility: visibility, mayRun: mayRun,
            now: now, into: &effects)
        check()
        return grants
    }

    mutating func extend(
        _ grant: Grant, visibility: Span? = nil, holder: LeaseHolder? = nil,
        by caller: Caller = Fixture.owner
    ) throws -> Instant {
        effects.removeAll()
        defer { check() }
        return try core.leaseExtended(
            grant.record.id, token: grant.record.token, visibility: visibility, holder: holder,
            by: caller, now: now, into: &effects)
    }

    @discardableResult
    mutating func report(
        _ grant: Grant, _ verdict: Verdict?, eventHash: UInt64 = 0,
        by caller: Caller = Fixture.owner
    ) throws -> Decision? {
        effects.removeAll()
        defer { check() }
        let outcome =
            verdict.map { AttemptOutcome.failed(ToldFailure($0), eventHash: eventHash) }
            ?? .succeeded
        return try core.attemptReported(
            grant.record.id, token: grant.record.token, outcome, by: caller, now: now,
            into: &effects)
    }

    @discardableResult
    mutating func release(
        _ grant: Grant, delay: Span = .zero, by caller: Caller = Fixture.owner
    ) throws -> Instant {
        effects.removeAll()
        defer { check() }
        return try core.attemptReleased(
            grant.record.id, token: grant.record.token, delay: delay, by: caller, now: now,
            into: &effects)
    }

    @discardableResult
    mutating func set(
        _ signal: SignalName, _ isOn: Bool, lasting: Span? = nil, by setter: UserID = 1_000
    ) -> Int {
        effects.removeAll()
        defer { check() }
        return core.signalSet(
            signal, isOn: isOn, by: setter, lasting: lasting, now: now, into: &effects)
    }

    mutating func cancel(_ id: OperationID, by caller: Caller = Fixture.owner) throws {
        effects.removeAll()
        defer { check() }
        try core.cancelAsked(id, by: caller, now: now, into: &effects)
    }

    mutating func retry(_ id: OperationID, by caller: Caller = Fixture.owner) throws {
        effects.removeAll()
        defer { check() }
        try core.retryAsked(id, by: caller, now: now, into: &effects)
    }

    @discardableResult
    mutating func reclassify(
        _ id: OperationID, _ verdict: Verdict, by caller: Caller = Fixture.owner
    ) throws -> Decision {
        effects.removeAll()
        defer { check() }
        return try core.reclassifyAsked(
            id, ToldFailure(verdict), by: caller, now: now, into: &effects)
    }

    @discardableResult
    mutating func recover(
        _ id: OperationID, _ choice: RecoveryChoice, by caller: Caller = Fixture.owner
    ) throws -> Recovery {
        effects.removeAll()
        defer { check() }
        return try core.recoverAsked(id, choice, by: caller, now: now, into: &effects)
    }

    @discardableResult
    mutating func resolve(
        _ id: OperationID, _ verdict: Verdict? = nil, eventHash: UInt64 = 0,
        by caller: Caller = Fixture.owner
    ) throws -> Decision? {
        effects.removeAll()
        defer { check() }
        return try core.resolveAsked(
            id, verdict.map { ToldFailure($0) }, eventHash: eventHash, by: caller, now: now,
            into: &effects)
    }

    @discardableResult
    mutating func pause(
        _ scope: PauseScope, reason: String = "maintenance", lasting: Span? = nil,
        by caller: Caller = Fixture.admin
    ) throws -> Int {
        effects.removeAll()
        defer { check() }
        return try core.pauseAsked(
            scope, reason: reason, lasting: lasting, by: caller, now: now, into: &effects)
    }

    @discardableResult
    mutating func resume(
        _ scope: PauseScope, by caller: Caller = Fixture.admin
    ) throws -> Int? {
        effects.removeAll()
        defer { check() }
        return try core.resumeAsked(scope, by: caller, now: now, into: &effects)
    }

    mutating func setDestinations(_ settings: DestinationSettings) {
        effects.removeAll()
        defer { check() }
        core.destinationsChanged(to: settings, now: now, into: &effects)
    }

    /// A start after a kill: what was ordered so far is stored.
    mutating func restart(_ settings: DestinationSettings = DestinationSettings()) {
        var store = StoreModel()
        store.commit(log)
        effects.removeAll()
        core = store.restored(
            seed: 43, policies: [Fixture.exact], destinations: settings, now: now,
            into: &effects)
        check()
    }

    mutating func holderDied(_ holder: LeaseHolder) -> Int {
        effects.removeAll()
        defer { check() }
        return core.holderDied(holder, now: now, into: &effects)
    }

    private mutating func check() {
        log += effects.all
        if checksEveryAct { core.checkInvariants() }
    }

    // MARK: Looks

    func state(_ id: OperationID) -> OperationState? { core.view(id, now: now)?.state }

    func record(_ id: OperationID) throws -> OperationRecord {
        try #require(core.view(id, now: now)).record
    }

    /// How long until an operation is due.
    func wait(_ id: OperationID) throws -> Span { try record(id).due - now.instant }

    func reasons(_ id: OperationID) -> [Reason] { core.reasons(id, now: now) }

    /// The state of each destination's breaker, as the last act told it.
    var breakers: [BreakerState] {
        effects.all.compactMap { effect in
            if case .breakerChanged(_, let state) = effect { state } else { nil }
        }
    }

    /// What the last act told of herds.
    var reports: [ReleaseReport] {
        effects.all.compactMap { effect in
            if case .herdReleased(let report) = effect { report } else { nil }
        }
    }

    /// What the last act did, as watchers are told.
    var changes: [Change] {
        effects.all.compactMap { effect in
            if case .changed(_, let change) = effect { change } else { nil }
        }
    }

    /// The records the last act ordered stored.
    var saved: [OperationRecord] {
        effects.all.compactMap { effect in
            if case .save(let record) = effect { record } else { nil }
        }
    }
}

extension ToldFailure {
    /// Numbers rules as the store would: the position plus one.
    init(_ verdict: Verdict) {
        self.init(verdict, rule: verdict.rule.map { RuleIndex($0 + 1) } ?? 0)
    }
}

extension Verdict {
    /// Try again, nothing else said.
    static let again = Verdict(disposition: .retry, rule: 0)
    static let foreground = Verdict(disposition: .retry, condition: .whenForeground, rule: 1)
    static let signIn = Verdict(disposition: .reauthenticate, rule: 2)
    static let newFlow = Verdict(disposition: .newFlow, rule: 3)
    static let never = Verdict(
        disposition: .permanent, action: .modifyConfiguration, rule: 4)

    static func again(after span: Span, receivedAt: WallTime? = nil) -> Verdict {
        Verdict(disposition: .retry, hint: .after(span), receivedAt: receivedAt, rule: 5)
    }

    static func again(at date: WallTime, receivedAt: WallTime? = nil) -> Verdict {
        Verdict(disposition: .retry, hint: .at(date), receivedAt: receivedAt, rule: 6)
    }
}

extension SignalName {
    /// The foreground of the user of `Fixture.owner`.
    static let ownForeground = SignalName.foreground(of: "user:1000", for: 1_000)

    static func ownCredential(_ name: String = "oauth:alice") -> SignalName {
        .credential(name: name, owner: 1_000)
    }
}
