import SystemKit

/// What a store full of waiting operations costs: memory, the time to start, the processor when
/// nothing happens.
extension Bench {
    mutating func measureWaiting() throws(BenchError) {
        let count = options.waitingCount
        report.begin("\(Figure.count(Double(count))) waiting operations", [])
        tell("\(count) waiting operations in retryd")
        let ours = try waitingInRetryd(count)
        var theirs: WaitingFigures?
        if let beanstalkd = try startBeanstalkd("waiting", .never) {
            tell("\(count) waiting jobs in beanstalkd")
            theirs = try waiting(count, in: beanstalkd)
        }
        add("resident bytes of each", ours, theirs, \.bytesEach, target: (120, "120")) {
            Figure.fixed($0, 1)
        }
        add("resident bytes of each, after a restart", ours, theirs, \.bytesEachRestarted) {
            Figure.fixed($0, 1)
        }
        add(
            "start of the program to READY=1", ours, theirs, \.readyUsec,
            target: (2_000_000, "2 s")
        ) { Figure.duration(usec: $0) }
        add(
            "SIGTERM to the end of the program", ours, theirs, \.endUsec,
            target: (1_000_000, "1 s")
        ) { Figure.duration(usec: $0) }
        add(
            "processor time in \(options.idleMs / 1_000) idle seconds", ours, theirs, \.idleUsec
        ) { Figure.duration(usec: $0) }
        add("the same in ticks of 10 ms", ours, theirs, \.idleTicks, target: (0, "0")) {
            Figure.fixed($0, 0)
        }
    }

    private mutating func add(
        _ name: String, _ ours: WaitingFigures, _ theirs: WaitingFigures?,
        _ figure: KeyPath<WaitingFigures, Double>, target: (Double, String)? = nil,
        _ text: (Double) -> String
    ) {
        let value = ours[keyPath: figure]
        var row = Report.Row(name: name, retryd: [text(value)])
        if let other = theirs?[keyPath: figure] {
            row.beanstalkd = [text(other)]
            if other > 0 { row.ratio = value / other }
        }
        if let target { row.target = .figure(value, atMost: target.0, target.1) }
        report.add(row)
    }

    private func waitingInRetryd(_ count: Int) throws(BenchError) -> WaitingFigures {
        let retryd = try startRetryd("waiting")
        var figures = WaitingFigures()
        // A few first: what the first calls allocate once belongs to no operation.
        try submit(1_000, to: retryd)
        let empty = try ProcessFacts.residentBytes(retryd.process)
        try submit(count, to: retryd)
        try awaitQuiet(retryd.process)
        figures.bytesEach = bytesEach(
            try ProcessFacts.residentBytes(retryd.process), empty, count)
        try beIdle(retryd.process, &figures)
        let restart = try retryd.restart()
        figures.endUsec = Double(restart.endUsec)
        figures.readyUsec = Double(restart.readyUsec)
        try awaitQuiet(retryd.process)
        figures.bytesEachRestarted = bytesEach(
            try ProcessFacts.residentBytes(retryd.process), empty, count)
        return figures
    }

    private func submit(_ count: Int, to retryd: Retryd) throws(BenchError) {
        _ = try ClosedLoop(socket: retryd.socket, .pipelined) { _ in
            CallDialogue(submitsTo: Retryd.farQueue)
        }.run(count: count)
    }

    private func waiting(
        _ count: Int, in beanstalkd: Beanstalkd
    ) throws(BenchError) -> WaitingFigures {
        var figures = WaitingFigures()
        let loop = try ClosedLoop(socket: beanstalkd.socket, .pipelined) { _ in
            PutDialogue(delaySeconds: 30 * 86_400)
        }
        _ = try loop.run(count: 1_000)
        let empty = try ProcessFacts.residentBytes(beanstalkd.process)
        _ = try loop.run(count: count)
        figures.bytesEach = bytesEach(
            try ProcessFacts.residentBytes(beanstalkd.process), empty, count)
        try beIdle(beanstalkd.process, &figures)
        let restart = try beanstalkd.restart()
        figures.endUsec = Double(restart.endUsec)
        figures.readyUsec = Double(restart.readyUsec)
        figures.bytesEachRestarted = bytesEach(
            try ProcessFacts.residentBytes(beanstalkd.process), empty, count)
        return figures
    }

    private func bytesEach(_ full: Int64, _ empty: Int64, _ count: Int) -> Double {
        Double(full - empty) / Double(count)
    }

    private func beIdle(
        _ process: DaemonProcess, _ figures: inout WaitingFigures
    ) throws(BenchError) {
        let run = try ProcessFacts.runUsec(process)
        let ticks = try ProcessFacts.ticks(process)
        Clocks.sleep(ms: options.idleMs)
        figures.idleUsec = try ProcessFacts.runUsec(process) - run
        figures.idleTicks = Double(try ProcessFacts.ticks(process) - ticks)
    }

    /// What many destinations cost on top of what waits there.
    mutating func measureDestinations() throws(BenchError) {
        let count = options.heldCount
        let destinations = 1_000
        tell("\(count) waiting operations in \(destinations) destinations")
        let total = Figure.count(Double(count))
        report.begin("\(total) waiting operations more, in 1,000 destinations", [])
        let retryd = try startRetryd("destinations")
        // As many without one first: what the store's caches grow to once belongs to no operation.
        try submit(count, to: retryd)
        try awaitQuiet(retryd.process)
        let empty = try ProcessFacts.residentBytes(retryd.process)
        let calls = (0..<destinations).map { number in
            Messages.submit(queue: Retryd.farQueue, #""destination":"mx\#(number).example","#)
        }
        let loop = try ClosedLoop(socket: retryd.socket, .pipelined) { _ in CallDialogue(calls) }
        _ = try loop.run(count: count)
        try awaitQuiet(retryd.process)
        let each = bytesEach(try ProcessFacts.residentBytes(retryd.process), empty, count)
        var row = Report.Row(name: "resident bytes of each", retryd: [Figure.fixed(each, 1)])
        row.target = .figure(each, atMost: 120, "120")
        report.add(row)
    }

    /// What a daemon needs before anything was handed to it.
    mutating func measureEmpty() throws(BenchError) {
        tell("empty daemons")
        report.begin("Empty daemon", [])
        let retryd = try startRetryd("empty")
        // It has served somebody, so that what is loaded with the first call is loaded.
        let loop = try ClosedLoop(socket: retryd.socket, .one) { _ in
            CallDialogue([Messages.status])
        }
        _ = try loop.run(count: 10)
        Clocks.sleep(ms: 200)
        let bytes = try ProcessFacts.residentBytes(retryd.process)
        var row = Report.Row(name: "resident memory", retryd: [Figure.mebibytes(bytes)])
        row.target = .figure(Double(bytes), atMost: Double(16 << 20), "16 MB")
        if let beanstalkd = try startBeanstalkd("empty") {
            let theirs = try ProcessFacts.residentBytes(beanstalkd.process)
            row.beanstalkd = [Figure.mebibytes(theirs)]
            row.ratio = Double(bytes) / Double(theirs)
        }
        report.add(row)
    }
}

private struct WaitingFigures {
    var bytesEach = 0.0
    var bytesEachRestarted = 0.0
    var endUsec = 0.0
    var readyUsec = 0.0
    var idleUsec = 0.0
    var idleTicks = 0.0
}
