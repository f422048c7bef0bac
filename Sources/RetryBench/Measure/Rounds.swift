import SystemKit

/// Medians of some rounds of one load.
struct Rounds {
    private var perSecond: [Double] = []
    private var p50: [Double] = []
    private var p99: [Double] = []

    mutating func add(_ result: LoadResult) {
        perSecond.append(result.perSecond)
        p50.append(result.latency.usec(at: 0.5))
        p99.append(result.latency.usec(at: 0.99))
    }

    var rate: Double? { perSecond.isEmpty ? nil : Figure.median(perSecond) }

    /// Rate, median and 99th percentile of the latencies.
    var figures: [String] {
        guard let rate else { return [] }
        return [
            Figure.count(rate), Figure.duration(usec: Figure.median(p50)),
            Figure.duration(usec: Figure.median(p99)),
        ]
    }
}

extension Bench {
    /// Runs two loads in turn: a machine that is slow for a while is slow for both.
    func inTurn<Ours: Dialogue, Theirs: Dialogue>(
        _ name: String, _ ours: ClosedLoop<Ours>, of retryd: Retryd,
        _ theirs: ClosedLoop<Theirs>?
    ) throws(BenchError) -> (retryd: Rounds, beanstalkd: Rounds) {
        var rounds = (retryd: Rounds(), beanstalkd: Rounds())
        tell("\(name), warming up")
        _ = try ours.run(forMs: 200)
        try awaitQuiet(retryd.process)
        _ = try theirs?.run(forMs: 200)
        for round in 1...options.rounds {
            tell("\(name), round \(round) of \(options.rounds)")
            rounds.retryd.add(try ours.run(forMs: options.roundMs))
            try awaitQuiet(retryd.process)
            if let theirs { rounds.beanstalkd.add(try theirs.run(forMs: options.roundMs)) }
        }
        return rounds
    }

    /// Waits until a daemon has tidied up, so that it does not disturb the other one.
    func awaitQuiet(_ process: DaemonProcess) throws(BenchError) {
        var before = try ProcessFacts.runUsec(process)
        for _ in 0..<100 {
            Clocks.sleep(ms: 100)
            let now = try ProcessFacts.runUsec(process)
            if now - before < 1_000 { return }
            before = now
        }
    }
}
