import SystemKit

/// How late a worker that waits gets what has come due.
extension Bench {
    mutating func measureLateness() throws(BenchError) {
        report.begin(
            "Lateness at a waiting worker, in 10 s", ["p50", "p99", "max"])
        var row = Report.Row(
            name: "\(Figure.count(Double(options.timerCount))) timers",
            retryd: figures(try latenessOfRetryd()))
        // Without syncing: a job's delay begins before the sync and its answer comes after it, so
        // that nobody could tell when it is due.
        if let beanstalkd = try startBeanstalkd("lateness", .never) {
            row.beanstalkd = figures(try lateness(of: beanstalkd))
        }
        report.add(row)
    }

    private func figures(_ lateness: Histogram) -> [String] {
        [
            Figure.duration(usec: lateness.usec(at: 0.5)),
            Figure.duration(usec: lateness.usec(at: 0.99)),
            Figure.duration(usec: Double(lateness.maxUsec)),
        ]
    }

    /// A stream of leases, each reported on at once over a second connection.
    private func latenessOfRetryd() throws(BenchError) -> Histogram {
        tell("lateness of retryd")
        let retryd = try startRetryd("lateness")
        let times = DueTimes()
        let loop = try ClosedLoop(socket: retryd.socket, .pipelined) { _ in
            TimedSubmitDialogue(queue: Retryd.soonQueue, times)
        }
        let filling = try loop.run(count: options.timerCount)
        try checkFilling(filling, firstDueMs: Retryd.soonMs)
        let stream = try connect(retryd.socket)
        let reports = try connect(retryd.socket)
        var incoming = MessageBuffer(terminator: Messages.end)
        var outgoing = RequestBuffer()
        outgoing.append(Messages.leaseStream(queue: Retryd.soonQueue, max: 1_024))
        try outgoing.send(stream.rawValue)
        var lateness = Histogram()
        while lateness.count < UInt64(options.timerCount) {
            try incoming.receive(stream.rawValue)
            let now = Clocks.realtimeUsec()
            while let message = incoming.next() {
                try Answer.check(message)
                var place = Answer.end(of: #""operations":["#, in: message)
                while let operation = place,
                    let start = Answer.end(of: #"{"id":"#, in: message, from: operation)
                {
                    let id = Answer.number(message, at: start)
                    let token = Answer.number(message, at: id.end + 9)
                    guard let due = times.due(id.value) else {
                        throw .answer("an attempt of an operation that was not handed over")
                    }
                    lateness.record(usec: now - due)
                    appendReport(id.value, token.value, to: &outgoing)
                    place = token.end
                }
                try outgoing.send(reports.rawValue)
            }
        }
        return lateness
    }

    private func checkFilling(
        _ filling: LoadResult, firstDueMs: Int64
    ) throws(BenchError) {
        guard filling.usec < firstDueMs * 1_000 else {
            throw .daemon("too slow: the first timers were due before the last ones were set")
        }
    }

    private func appendReport(
        _ id: Int64, _ token: Int64, to requests: inout RequestBuffer
    ) {
        requests.append(#"{"method":"io.retryd.Report","oneway":true,"parameters":{"id":"#)
        requests.append(decimal: id)
        requests.append(#","token":"#)
        requests.append(decimal: token)
        requests.append(#","outcome":"succeeded"}}"#)
        requests.append([Messages.end])
    }

    /// A pipeline of reserves. Jobs are not deleted.
    private func lateness(of beanstalkd: Beanstalkd) throws(BenchError) -> Histogram {
        tell("lateness of beanstalkd")
        let times = DueTimes()
        let delaySeconds = 8
        let filling = try ClosedLoop(socket: beanstalkd.socket, .pipelined) { _ in
            TimedPutDialogue(times, delaySeconds: delaySeconds)
        }.run(count: options.timerCount)
        try checkFilling(filling, firstDueMs: Int64(delaySeconds) * 1_000)

        let worker = try connect(beanstalkd.socket)
        var incoming = MessageBuffer(terminator: UInt8(ascii: "\n"))
        var outgoing = RequestBuffer()
        for _ in 0..<64 { outgoing.append("reserve\r\n") }
        var lateness = Histogram()
        var id: Int64 = 0
        while lateness.count < UInt64(options.timerCount) {
            try outgoing.send(worker.rawValue)
            try incoming.receive(worker.rawValue)
            let now = Clocks.realtimeUsec()
            while let line = incoming.next() {
                guard id != 0 else {
                    try Answer.check(line, begins: "RESERVED ")
                    id = Answer.number(line, at: 9).value
                    continue
                }
                // The line behind it is the job.
                if let due = times.due(id) { lateness.record(usec: now - due) }
                id = 0
                outgoing.append("reserve\r\n")
            }
        }
        return lateness
    }

    private func connect(_ path: String) throws(BenchError) -> OwnedFD {
        do {
            return try UnixSocket.connect(path: path)
        } catch {
            throw .socket(error)
        }
    }
}
