import RetryModel

/// Runs a scenario with the scheduler that the daemon runs. The same scenario gives the same
/// result.
package struct OutageSimulation {
    private let scenario: OutageScenario
    private var hosts: [OutageHost] = []
    /// The hosts by when something happens next at each.
    private var queue = SlotHeap()
    private var positions: SlotHeap.Positions
    private var service: OutageService
    private var result = OutageResult()

    /// - Precondition: The scenario has hosts and operations; weights are not negative.
    package static func run(_ scenario: OutageScenario) -> OutageResult {
        var simulation = OutageSimulation(scenario)
        simulation.run()
        return simulation.result
    }

    private init(_ scenario: OutageScenario) {
        precondition(scenario.hosts > 0 && scenario.operationsPerHost > 0, "an empty scenario")
        self.scenario = scenario
        positions = SlotHeap.Positions(repeating: noSlot, count: scenario.hosts)
        var seeds = SplitMix64(seed: scenario.seed)
        service = OutageService(scenario, seed: seeds.next())
        for number in 0..<scenario.hosts {
            let host = OutageHost(scenario, number: number, seed: seeds.next())
            hosts.append(host)
            queue.push(SlotNumber(number), key: host.next.usec, &positions)
        }
    }

    private mutating func run() {
        let end = OutageService.start + scenario.length
        while let top = queue.top, top.key <= end.usec {
            queue.remove(top.slot, &positions)
            let host = Int(top.slot)
            hosts[host].act(at: Instant(usec: top.key), &service, &result)
            let next = hosts[host].next
            if next != .never { queue.push(top.slot, key: next.usec, &positions) }
        }
        for host in hosts {
            let counts = host.core.counts
            result.gaveUp += counts[.dead]
            result.left += counts.live + host.toCome
        }
        if result.left == 0 { result.drained = service.lastAnswer - OutageService.start }
    }
}

/// The service that fails.
struct OutageService {
    static let start = Instant(usec: 1_000_000)
    private let scenario: OutageScenario
    private var random: SplitMix64
    private var second: Int64 = -1
    private var takenInSecond = 0
    private let weights: Int
    /// When it last answered anything.
    private(set) var lastAnswer = OutageService.start

    init(_ scenario: OutageScenario, seed: UInt64) {
        self.scenario = scenario
        random = SplitMix64(seed: seed)
        weights = scenario.failures.reduce(0) { $0 + $1.weight }
    }

    /// An attempt arrives; nil: it succeeds.
    mutating func answer(at moment: Instant) -> Verdict? {
        lastAnswer = moment
        let elapsed = moment - Self.start
        if scenario.outages.contains(where: { $0.contains(elapsed) }) { return failure() }
        guard scenario.capacityPerSecond > 0 else { return nil }
        let present = elapsed.usec / 1_000_000
        if present != second {
            second = present
            takenInSecond = 0
        }
        takenInSecond += 1
        return takenInSecond > scenario.capacityPerSecond ? failure() : nil
    }

    mutating func failure() -> Verdict {
        var drawn = Int(random.number(through: Int64(max(weights, 1)) - 1))
        for failure in scenario.failures {
            drawn -= failure.weight
            if drawn < 0 { return failure.verdict }
        }
        return Verdict(disposition: .retry, rule: 0)
    }
}

/// One host: a scheduler, its workers and the operations that are yet to fail for the first time.
struct OutageHost {
    private(set) var core: Scheduler
    private let scenario: OutageScenario
    private let lane: Lane
    private var effects = Effects()
    /// First failures that have not come.
    private(set) var toCome: Int
    /// Attempts that run, the first that ends first: all take the same time.
    private var running: [(grant: Grant, endsAt: Instant)] = []
    private static let worker = LeaseHolder(user: 1_000, process: 1, startTicks: 1)
    private static let caller = Caller(user: 1_000, isAdmin: false)

    init(_ scenario: OutageScenario, number: Int, seed: UInt64) {
        self.scenario = scenario
        toCome = scenario.operationsPerHost
        lane = Lane(
            owner: 1_000, group: 1_000, queue: "simulation", kind: .custom,
            destination: "service", scope: "user:1000")
        core = Scheduler(seed: seed)
        var policy = scenario.policy
        policy.name = Policy.defaultName
        core.policiesChanged(to: [policy], ofQueues: [], into: &effects)
        core.rampChanged(to: scenario.ramp)
        var settings = DestinationSettings()
        settings.standard = scenario.destination
        core.destinationsChanged(to: settings, now: Self.now(OutageService.start), into: &effects)
        effects.removeAll()
    }

    /// When something happens next; `.never`: nothing does any more.
    var next: Instant {
        var next = core.nextDue ?? .never
        // What has ended is kept for a while, and nothing of it matters here.
        if core.counts.live == 0 { next = .never }
        if toCome > 0 { next = min(next, nextArrival) }
        if let first = running.first { next = min(next, first.endsAt) }
        return next
    }

    private var nextArrival: Instant {
        let number = Int64(scenario.operationsPerHost - toCome)
        let span = (scenario.arrival * number).usec / Int64(scenario.operationsPerHost)
        return OutageService.start + Span(usec: span)
    }

    private static func now(_ moment: Instant) -> Now {
        Now(instant: moment, wall: WallTime(usec: 1_700_000_000_000_000 + moment.usec))
    }

    mutating func act(
        at moment: Instant, _ service: inout OutageService, _ result: inout OutageResult
    ) {
        let now = Self.now(moment)
        while toCome > 0, nextArrival <= moment {
            toCome -= 1
            let failure = ToldFailure(service.failure(), rule: 1)
            // Quotas are far beyond what a scenario has.
            _ = try? core.operationSubmitted(
                Submission(lane: lane), failure, now: now, into: &effects)
        }
        while let first = running.first, first.endsAt <= moment {
            running.removeFirst()
            end(first.grant, &service, &result, now)
        }
        core.timePassed(now: now, into: &effects)
        effects.removeAll()
        begin(&result, now)
    }

    private mutating func end(
        _ grant: Grant, _ service: inout OutageService, _ result: inout OutageResult, _ now: Now
    ) {
        let outcome: AttemptOutcome
        if let verdict = service.answer(at: now.instant) {
            outcome = .failed(ToldFailure(verdict, rule: 1), eventHash: 0)
        } else {
            outcome = .succeeded
            result.succeeded += 1
            result.lastSuccess = now.instant - OutageService.start
        }
        // An attempt that took longer than its lease stands is stale: it counts for nothing.
        _ = try? core.attemptReported(
            grant.record.id, token: grant.record.token, outcome, by: Self.caller, now: now,
            into: &effects)
    }

    private mutating func begin(_ result: inout OutageResult, _ now: Now) {
        let room = scenario.workersPerHost - running.count
        guard room > 0 else { return }
        let grants = core.leaseAsked(
            queue: lane.queue, count: room, holder: Self.worker, visibility: nil,
            mayRun: { _ in true }, now: now, into: &effects)
        effects.removeAll()
        let second = Int((now.instant - OutageService.start).usec / 1_000_000)
        while result.attemptsPerSecond.count <= second { result.attemptsPerSecond.append(0) }
        result.attemptsPerSecond[second] += grants.count
        for grant in grants {
            running.append((grant, now.instant + scenario.attemptLength))
        }
    }
}
