import JSON
import RetryCore
import RetryModel
import RetryRules
import SystemKit

/// Single parts of the daemon, in this process, without socket and disk.
extension Bench {
    mutating func measureMicro() throws(BenchError) {
        tell("single parts")
        report.begin("Single parts", ["each"])
        try measureRules()
        measureScheduler()
        measureTimers()
    }

    private mutating func add(_ name: String, usec: Double, atMost most: Double? = nil) {
        var row = Report.Row(name: name, retryd: [Figure.duration(usec: usec)])
        if let most {
            row.target = .figure(usec, atMost: most, "\(Figure.fixed(most, 1)) µs")
        }
        report.add(row)
    }

    // MARK: Rules

    private mutating func measureRules() throws(BenchError) {
        let sources = try ShippedRules.read()
        var rules = RuleSet.empty
        let compileUsec = Figure.median(
            try (0..<options.rounds).map { _ throws(BenchError) in
                let start = Clocks.monotonicUsec()
                do throws(RuleError) {
                    rules = try RuleSet.compile(files: sources)
                } catch {
                    throw .daemon("\(error.file):\(error.line): \(error.reason)")
                }
                return Double(Clocks.monotonicUsec() - start)
            })
        add("compiling \(rules.rules.count) rules", usec: compileUsec)
        let classifier = Classifier(rules)
        let failures: [(String, [UInt8])] = [
            ("an HTTP failure", Messages.failure), ("a chain of 8 NSErrors", Samples.errorChain),
            ("a refused OAuth grant", Samples.refusedGrant),
        ]
        for (name, text) in failures {
            add("parsing \(name)", usec: try parsing(text))
            add("classifying \(name)", usec: try classifying(text, classifier))
        }
    }

    private func parsing(_ text: [UInt8]) throws(BenchError) -> Double {
        let parser = Self.parser
        return try each(20_000) { count throws(BenchError) in
            for _ in 0..<count {
                do throws(JSONError) {
                    _ = try parser.parse(text)
                } catch {
                    throw .answer("a sample is not JSON: \(error.message)")
                }
            }
        }
    }

    private func classifying(
        _ text: [UInt8], _ classifier: Classifier
    ) throws(BenchError) -> Double {
        let parser = Self.parser
        let value: JSONValue
        do {
            value = try parser.parse(text)
        } catch {
            throw .answer("a sample is not JSON: \(error.message)")
        }
        let options = ClassifierOptions(now: WallTime(usec: Clocks.realtimeUsec()))
        guard classifier.classify(value, options).rule != nil else {
            throw .answer("no shipped rule knows \(String(decoding: text, as: UTF8.self))")
        }
        let usec = try each(20_000) { count throws(BenchError) in
            for _ in 0..<count { _ = classifier.classify(value, options) }
        }
        // The value is a view on the parser's memory.
        return withExtendedLifetime(parser) { usec }
    }

    private static var parser: JSONParser {
        JSONParser(lengthMax: 1 << 20, depthMax: Limits.messageDepthMax)
    }

    /// The median of some rounds, for one of `count`.
    private func each(
        _ count: Int, _ body: (Int) throws(BenchError) -> Void
    ) throws(BenchError) -> Double {
        var rounds: [Double] = []
        for _ in 0..<options.rounds {
            let start = Clocks.monotonicUsec()
            try body(count)
            rounds.append(Double(Clocks.monotonicUsec() - start) / Double(count))
        }
        return Figure.median(rounds)
    }

    // MARK: Core

    /// Hands so many operations to the core, due at random within a day, and lets the day pass.
    private mutating func measureScheduler() {
        let count = options.waitingCount
        var limits = SchedulerLimits()
        limits.operationsPerUserMax = count
        var scheduler = Scheduler(seed: 1, limits: limits)
        var effects = Effects()
        var policy = Policy(name: Policy.defaultName)
        policy.initial = .days(1)
        policy.max = .days(1)
        scheduler.policiesChanged(to: [policy], ofQueues: [], into: &effects)
        let submission = Submission(
            lane: Lane(
                owner: 1_000, group: 1_000, queue: "bench", kind: .custom, scope: "user:1000"))
        let failure = ToldFailure(Verdict(disposition: .retry, rule: 1), rule: 1)
        var now = Now(instant: Instant(usec: 1), wall: WallTime(usec: 1_700_000_000_000_000))
        let start = Clocks.monotonicUsec()
        for _ in 0..<count {
            do {
                _ = try scheduler.operationSubmitted(submission, failure, now: now, into: &effects)
            } catch {
                preconditionFailure("the limits were raised")
            }
            effects.removeAll()
        }
        let scheduled = Clocks.monotonicUsec()
        now.instant = now.instant + .days(2)
        now.wall = now.wall + .days(2)
        while let due = scheduler.nextDue, due <= now.instant {
            scheduler.timePassed(now: now, into: &effects)
            effects.removeAll()
        }
        let passed = Clocks.monotonicUsec()
        let total = Figure.count(Double(count))
        add("taking in one of \(total) operations", usec: Double(scheduled - start) / Double(count))
        add("letting one of them come due", usec: Double(passed - scheduled) / Double(count))
    }

    /// The heap of timers alone: so many at random moments are put in, then each is taken out when
    /// it is the first.
    private mutating func measureTimers() {
        let count = options.waitingCount
        var heap = SlotHeap()
        var positions = SlotHeap.Positions(repeating: .max, count: count)
        var random = SplitMix64(seed: 1)
        let keys = (0..<count).map { _ in Int64(random.next() >> 20) }
        let start = Clocks.monotonicUsec()
        for slot in 0..<count { heap.push(SlotNumber(slot), key: keys[slot], &positions) }
        let scheduled = Clocks.monotonicUsec()
        while let top = heap.top { heap.remove(top.slot, &positions) }
        let popped = Clocks.monotonicUsec()
        let total = Figure.count(Double(count))
        add(
            "scheduling one of \(total) timers",
            usec: Double(scheduled - start) / Double(count), atMost: 0.5)
        add("popping one of them", usec: Double(popped - scheduled) / Double(count), atMost: 0.5)
    }
}
