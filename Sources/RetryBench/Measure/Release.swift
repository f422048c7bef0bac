import SystemKit

/// A signal that frees many held operations at once: how long the loop attends to nothing else.
extension Bench {
    mutating func measureRelease() throws(BenchError) {
        let count = options.heldCount
        let total = Figure.count(Double(count))
        tell("a signal that frees \(count) operations")
        report.begin("A signal that frees \(total) held operations", [])
        var longest: [Double] = []
        for round in 0..<options.rounds {
            let retryd = try startRetryd("release-\(round)")
            longest.append(try releasing(count, by: retryd))
        }
        let usec = Figure.median(longest)
        var row = Report.Row(
            name: "longest wait of another caller", retryd: [Figure.duration(usec: usec)])
        row.target = .figure(usec, atMost: 10_000, "10 ms")
        report.add(row)
    }

    /// - Returns: The longest any of the calls took that were made meanwhile, one after the other.
    private func releasing(_ count: Int, by retryd: Retryd) throws(BenchError) -> Double {
        let control = try Control(retryd.socket)
        try control.call(Messages.setSignal(Retryd.heldSignal, isOn: false))
        let loop = try ClosedLoop(socket: retryd.socket, .pipelined) { _ in
            CallDialogue([Messages.submit(queue: Retryd.nowQueue, Retryd.heldMember)])
        }
        _ = try loop.run(count: count)
        let pings = try ClosedLoop(socket: retryd.socket, .one) { _ in
            CallDialogue([Messages.status])
        }
        _ = try pings.run(count: 100)
        try control.send(Messages.setSignal(Retryd.heldSignal, isOn: true))
        // Until long after the last of them was put where it belongs.
        let result = try pings.run(forMs: 1_000)
        let answer = try control.receive()
        guard answer.contains("\"released\":\(count)") else {
            throw .answer("not all that was held was released: \(answer)")
        }
        return Double(result.latency.maxUsec)
    }
}

/// A connection on which one call is made at a time.
private final class Control {
    private let socket: OwnedFD
    private var incoming = MessageBuffer(terminator: Messages.end)

    init(_ path: String) throws(BenchError) {
        do {
            socket = try UnixSocket.connect(path: path)
        } catch {
            throw .socket(error)
        }
    }

    func send(_ call: [UInt8]) throws(BenchError) {
        var outgoing = RequestBuffer()
        outgoing.append(call)
        try outgoing.send(socket.rawValue)
    }

    func receive() throws(BenchError) -> String {
        while true {
            if let message = incoming.next() {
                try Answer.check(message)
                return String(decoding: message, as: UTF8.self)
            }
            try incoming.receive(socket.rawValue)
        }
    }

    func call(_ call: [UInt8]) throws(BenchError) {
        try send(call)
        _ = try receive()
    }
}
