import RetryCore
import RetryModel

/// A host in which everything goes wrong: clients, workers, signals, clocks and crashes around one
/// scheduler, all drawn from one seed.
struct World {
    var shell: Shell
    var ledger = Ledger()
    var clock: SimulatedClock
    /// Of the world; the core has its own.
    var random: SplitMix64
    var trace: Trace
    var workers: [Worker]
    /// Processes that ended, until the daemon learns of it.
    var deaths: [(holder: LeaseHolder, at: Instant)] = []
    var promises = Promises()
    var step = 0
    var nextProcess: Int32 = 100

    static let worker = Caller(user: 3_000, isAdmin: true)
    static let owners: [UserID] = [0, 1_000, 1_001]
    static let queues = ["mail.send", "news.fetch"]

    /// Small, so that a run meets every bound and end many times.
    static let limits: SchedulerLimits = {
        var limits = SchedulerLimits()
        limits.operationsPerUserMax = 40
        limits.endedKept = .minutes(10)
        limits.deadKept = .hours(1)
        limits.endedKeptMax = 25
        limits.deadKeptMax = 12
        return limits
    }()

    static let policies: [Policy] = {
        var policy = Policy.standard
        policy.attemptsMax = 5
        policy.max = .minutes(5)
        policy.holdMax = .hours(1)
        policy.parkMax = .hours(2)
        policy.recoveriesMax = 3
        policy.visibility = .seconds(20)
        policy.hintMax = .minutes(20)
        var quick = policy
        quick.name = "quick"
        quick.steps = [.milliseconds(200), .seconds(1), .seconds(5)]
        quick.jitter = .equal
        quick.floor = .milliseconds(50)
        var wild = policy
        wild.name = "wild"
        wild.jitter = .decorrelated
        wild.hintOverMax = .dead
        wild.ageMax = .hours(1)
        return [policy, quick, wild]
    }()

    /// Small, so that budgets are spent and breakers open many times in a run.
    static let destinations: DestinationSettings = {
        var settings = DestinationSettings()
        settings.standard.concurrencyMax = 3
        settings.standard.budgetMax = 60
        settings.standard.budgetPerSecond = 1
        settings.standard.failuresMax = 3
        settings.standard.openFirst = .seconds(4)
        settings.standard.openMax = .minutes(1)
        settings.shared = ["mx2.example.com"]
        return settings
    }()

    static let ramp: RampSettings = {
        var settings = RampSettings()
        settings.first = 4
        return settings
    }()

    static let policiesOfQueues: [(queue: String, policy: String)] = [("news.fetch", "quick")]

    /// - Parameter coreSeed: Of the core; the same as the world's, but for a shell that loses it.
    init(seed: UInt64, coreSeed: UInt64, bug: PlantedBug?, keepsLines: Bool) {
        random = SplitMix64(seed: seed)
        clock = SimulatedClock(random: &random)
        trace = Trace(keepsLines: keepsLines)
        shell = Shell(seed: coreSeed, bug: bug)
        workers = []
        for _ in 0..<4 { workers.append(newWorker()) }
    }

    var now: Now { clock.now }

    // MARK: The run

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            try oneStep()
            if step % 64 == 0 { try ledger.checkAll(shell, now: now) }
        }
        try drain()
    }

    private mutating func oneStep() throws {
        switch random.number(through: 99) {
        case 0..<26: try timePasses()
        case 26..<40: try clientSubmits()
        case 40..<56: try workerAsks()
        case 56..<76: try workerActs()
        case 76..<88: commit()
        case 88..<91: try signalIsSet()
        case 91: try somebodyPauses()
        case 92..<95: try ownerActs()
        case 95..<97: try workerFails()
        case 97: try clockMisbehaves()
        case 98: try configurationIsRead()
        default: try daemonStops()
        }
        try deliver()
    }

    /// Takes effects into every account.
    mutating func observe(_ effects: [Effect]) throws {
        for effect in effects { trace.mix(effect) }
        try ledger.observe(effects, now: now)
        for case .changed(let id, _) in effects { try ledger.check(id, shell, now: now) }
    }

    mutating func note(_ line: @autoclosure () -> String) {
        guard trace.keepsLines else { return }
        let text = "step \(step), \(now.instant.usec) µs: \(line())"
        trace.note(text)
    }

    mutating func chance(_ percent: Int64) -> Bool { random.number(through: 99) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        guard !elements.isEmpty else { return nil }
        return elements[Int(random.number(through: Int64(elements.count) - 1))]
    }

    // MARK: Time

    private mutating func timePasses() throws {
        var span = Span(usec: random.number(through: 2_000_000))
        // Half of the time just to the next moment at which something is due.
        if chance(50), let due = shell.core.nextDue, due > now.instant,
            due - now.instant < .minutes(10)
        {
            span = due - now.instant
        }
        try advance(span)
    }

    mutating func advance(_ span: Span) throws {
        clock.advance(span)
        trace.mix(now.instant.usec)
        note("time passes")
        let moment = now.instant
        let died = deaths.filter { $0.at <= moment }
        deaths.removeAll { $0.at <= moment }
        for death in died {
            note("process \(death.holder.process) is known to be dead")
            try observe(shell.holderDied(death.holder, now: now))
        }
        while let due = shell.core.nextDue, due <= now.instant {
            try observe(shell.timePassed(now: now))
        }
    }

    private mutating func clockMisbehaves() throws {
        if chance(30) {
            // A suspend: the time line goes on, and nobody was there.
            note("the host was suspended")
            return try advance(.seconds(random.number(through: 3_600)))
        }
        let span = Span.seconds(random.number(through: 14_400) - 7_200)
        clock.stepWall(span)
        note("the wall clock is stepped by \(span.usec) µs")
        let now = now
        let told = shell.tell { core, effects in
            core.clockStepped(now: now, into: &effects)
        }
        ledger.clockStepped(now: now)
        try observe(told.effects)
    }

    private mutating func configurationIsRead() throws {
        note("the configuration is read again")
        let told = shell.tell { core, effects in
            core.policiesChanged(
                to: World.policies, ofQueues: World.policiesOfQueues, into: &effects)
            core.limitsChanged(to: World.limits)
        }
        try observe(told.effects)
    }

    // MARK: The daemon

    private mutating func commit() {
        if shell.inFlight != nil, chance(70) { shell.commitFinished() }
        shell.handOver(ledger)
    }

    /// A crash, or now and then an orderly stop that commits everything first.
    private mutating func daemonStops() throws {
        guard chance(40) else { return }
        let isOrderly = chance(30)
        if isOrderly { settle() }
        try restart(commitsFirst: isOrderly || chance(50))
    }

    /// Commits all there is.
    mutating func settle() {
        shell.commitFinished()
        shell.handOver(ledger)
        shell.commitFinished()
    }

    private mutating func restart(commitsFirst: Bool) throws {
        note("the daemon is started again")
        let told = shell.restart(commitsFirst: commitsFirst, now: now)
        ledger = told.ledger
        ledger.clockStepped(now: now)
        ledger.sparing.restarted(told.effects)
        for effect in told.effects { trace.mix(effect) }
        try ledger.checkRestored(shell, now: now)
        try promises.checkKept(shell, now: now)
        // Processes that ended while it was down are found by their numbers.
        let living = Set(workers.map(\.holder))
        for holder in shell.core.holders where !living.contains(holder) {
            try observe(shell.holderDied(holder, now: now))
        }
        for index in workers.indices { workers[index].isConnected = true }
    }

    private mutating func deliver() throws {
        for answer in shell.takeAnswers() {
            try promises.take(answer, shell)
            trace.mix(11 as UInt64)
            if case .granted(let holder, let grants) = answer { begin(grants, holder) }
        }
    }
}
