import SystemKit

/// Keeps a number of requests in flight for a time, and notes how long each answer took.
///
/// Connections are kept from round to round.
final class ClosedLoop<Talk: Dialogue> {
    private let shape: Shape
    private let lines: [Line]
    private let polls: PollSet?
    private var events: [PollEvent] = []

    private final class Line {
        let socket: OwnedFD
        var talk: Talk
        var incoming = MessageBuffer(terminator: Talk.terminator)
        var outgoing = RequestBuffer()
        /// When each slot's request was sent.
        var sentUsec: [Int64]
        /// The slot whose answer is next.
        var slot = 0
        var underWay = 0

        init(_ socket: consuming OwnedFD, _ talk: Talk, slots: Int) {
            self.socket = socket
            self.talk = talk
            sentUsec = Array(repeating: 0, count: slots)
        }
    }

    /// - Parameter talk: What is said on a connection, by its number.
    init(socket path: String, _ shape: Shape, _ talk: (Int) -> Talk) throws(BenchError) {
        self.shape = shape
        var lines: [Line] = []
        do {
            polls = shape.connections > 1 ? try PollSet() : nil
        } catch {
            throw .system(error)
        }
        for number in 0..<shape.connections {
            do throws(UnixSocketError) {
                let socket = try UnixSocket.connect(path: path)
                lines.append(Line(socket, talk(number), slots: shape.inFlight))
            } catch {
                throw .socket(error)
            }
        }
        self.lines = lines
        if let polls {
            for line in lines {
                do throws(SystemError) {
                    // Slots of the poll set are given in order, so they number the lines.
                    let token = try polls.add(line.socket.rawValue, .readable)
                    precondition(lines[token.slot] === line, "slots are given in order")
                } catch {
                    throw .system(error)
                }
            }
        }
    }

    /// Runs for a time, or until so much is done.
    ///
    /// - Returns: What was done in that time. When it returns nothing is under way any more.
    func run(forMs ms: Int64 = .max, count: Int = .max) throws(BenchError) -> LoadResult {
        var result = LoadResult()
        let start = Clocks.monotonicUsec()
        let end = ms == .max ? Int64.max : start + ms * 1_000
        var left = count
        for line in lines {
            for slot in 0..<min(shape.inFlight, left) {
                line.talk.begin(slot, into: &line.outgoing)
                line.sentUsec[slot] = start
                line.underWay += 1
            }
            left -= line.underWay
            line.slot = 0
            try line.outgoing.send(line.socket.rawValue)
        }
        var isOver = false
        while lines.contains(where: { $0.underWay > 0 }) {
            try forEachReady { line throws(BenchError) in
                try line.incoming.receive(line.socket.rawValue)
                let now = Clocks.monotonicUsec()
                if !isOver, now >= end {
                    isOver = true
                    result.usec = now - start
                }
                try serve(line, now: now, isOver, &left, &result)
            }
        }
        if !isOver { result.usec = Clocks.monotonicUsec() - start }
        return result
    }

    private func serve(
        _ line: Line, now: Int64, _ isOver: Bool, _ left: inout Int, _ result: inout LoadResult
    ) throws(BenchError) {
        while let message = line.incoming.next() {
            let progress = try line.talk.take(message, for: line.slot)
            if case .unfinished = progress { continue }
            let slot = line.slot
            line.slot = slot + 1 == shape.inFlight ? 0 : slot + 1
            if !isOver {
                if case .done = progress { result.done += 1 }
                result.latency.record(usec: now - line.sentUsec[slot])
            }
            if isOver || left == 0 {
                line.underWay -= 1
            } else {
                left -= 1
                line.talk.goOn(slot, into: &line.outgoing)
                line.sentUsec[slot] = now
            }
        }
        if !line.outgoing.isEmpty { try line.outgoing.send(line.socket.rawValue) }
    }

    private func forEachReady(_ body: (Line) throws(BenchError) -> Void) throws(BenchError) {
        guard let polls else { return try body(lines[0]) }
        do {
            try polls.wait(into: &events, timeoutMs: -1)
        } catch {
            throw .system(error)
        }
        for event in events { try body(lines[event.token.slot]) }
    }
}

/// What a load generator saw.
struct LoadResult {
    /// Units of work that were answered in time.
    var done = 0
    var usec: Int64 = 0
    /// From a request to its answer.
    var latency = Histogram()

    var perSecond: Double { Double(done) * 1e6 / Double(max(1, usec)) }
}
