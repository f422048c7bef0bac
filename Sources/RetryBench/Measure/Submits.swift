/// Durable hand-over and full cycles: what a second holds.
extension Bench {
    mutating func measureSubmits(_ shapes: [Shape]) throws(BenchError) {
        report.begin(
            "Durable submits (connections x in flight)", ["per second", "p50", "p99"])
        let retryd = try startRetryd("submits")
        let beanstalkd = try startBeanstalkd("submits")
        for shape in shapes {
            let ours = try ClosedLoop(socket: retryd.socket, shape) { _ in
                CallDialogue(submitsTo: Retryd.farQueue)
            }
            var theirs: ClosedLoop<PutDialogue>?
            if let beanstalkd {
                theirs = try ClosedLoop(socket: beanstalkd.socket, shape) { _ in
                    PutDialogue(delaySeconds: 30 * 86_400)
                }
            }
            let rounds = try inTurn("submits \(shape.name)", ours, of: retryd, theirs)
            report.add(row(shape.name, rounds, ratioMin: Self.submitRatioMin(shape)))
        }
    }

    private static func submitRatioMin(_ shape: Shape) -> Double? {
        switch (shape.connections, shape.inFlight) {
        case (1, 1): 0.65
        case (16, 1): 3.5
        case (1, 64): 14
        default: nil
        }
    }

    mutating func measureCycles() throws(BenchError) {
        report.begin("Full cycles (connections x in flight)", ["per second"])
        let retryd = try startRetryd("cycles")
        let beanstalkd = try startBeanstalkd("cycles")
        let shape = Shape.pipelined
        // Some are ready at any time, so that no lease has to wait for the shortest delay.
        let stock = 2_000
        _ = try ClosedLoop(socket: retryd.socket, shape) { _ in
            CallDialogue(submitsTo: Retryd.nowQueue)
        }.run(count: stock)
        let ours = try ClosedLoop(socket: retryd.socket, shape) { _ in
            CycleDialogue(queue: Retryd.nowQueue, slots: shape.inFlight)
        }
        var theirs: ClosedLoop<JobCycleDialogue>?
        if let beanstalkd {
            _ = try ClosedLoop(socket: beanstalkd.socket, shape) { _ in
                PutDialogue(delaySeconds: 0)
            }.run(count: stock)
            theirs = try ClosedLoop(socket: beanstalkd.socket, shape) { _ in
                JobCycleDialogue(slots: shape.inFlight)
            }
        }
        let rounds = try inTurn("cycles", ours, of: retryd, theirs)
        var row = row(shape.name, rounds, ratioMin: 9)
        // A latency of one call in the middle of a cycle says nothing.
        row.retryd.removeLast(2)
        if !row.beanstalkd.isEmpty { row.beanstalkd.removeLast(2) }
        report.add(row)
    }

    private func row(
        _ name: String, _ rounds: (retryd: Rounds, beanstalkd: Rounds), ratioMin: Double?
    ) -> Report.Row {
        var ratio: Double?
        if let ours = rounds.retryd.rate, let theirs = rounds.beanstalkd.rate, theirs > 0 {
            ratio = ours / theirs
        }
        return Report.Row(
            name: name, retryd: rounds.retryd.figures, beanstalkd: rounds.beanstalkd.figures,
            ratio: ratio, target: ratioMin.flatMap { .ratio(ratio, atLeast: $0) })
    }
}
