import SystemKit

/// When each of the timers that were set is due, by id, on the wall clock.
final class DueTimes {
    private var usec: [Int64] = []
    /// The first id.
    private var base: Int64?

    func note(_ id: Int64, due: Int64) {
        if base == nil { base = id }
        guard let base else { return }
        let index = Int(id - base)
        precondition(index >= 0 && index < 1 << 24, "ids are given in ascending order")
        while usec.count <= index { usec.append(0) }
        usec[index] = due
    }

    func due(_ id: Int64) -> Int64? {
        guard let base, usec.indices.contains(Int(id - base)) else { return nil }
        return usec[Int(id - base)]
    }
}

/// Hands operations over and notes when they are due, as the answer says.
struct TimedSubmitDialogue: Dialogue {
    static var terminator: UInt8 { Messages.end }

    let request: [UInt8]
    let times: DueTimes

    init(queue: String, _ times: DueTimes) {
        request = Messages.submit(queue: queue)
        self.times = times
    }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(request)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message)
        guard let id = Answer.end(of: #""id":"#, in: message),
            let due = Answer.end(of: #""due_usec":"#, in: message, from: id)
        else { throw .answer("an answer to Submit without id or due_usec") }
        times.note(
            Answer.number(message, at: id).value, due: Answer.number(message, at: due).value)
        return .done
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(request)
    }
}

/// Puts jobs with a delay and notes when they are due: counted from the answer, which makes
/// beanstalkd look a little more punctual than it is.
struct TimedPutDialogue: Dialogue {
    static var terminator: UInt8 { UInt8(ascii: "\n") }

    let times: DueTimes
    /// The shortest delay; jobs get this and the nine following ones in turn.
    let delaySeconds: Int
    private var sent = 0
    private var answered = 0

    init(_ times: DueTimes, delaySeconds: Int) {
        self.times = times
        self.delaySeconds = delaySeconds
    }

    private func delay(_ number: Int) -> Int { delaySeconds + number % 10 }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        goOn(slot, into: &requests)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message, begins: "INSERTED ")
        let delay = Int64(delay(answered)) * 1_000_000
        times.note(
            Answer.number(message, at: 9).value, due: Clocks.realtimeUsec() + delay)
        answered += 1
        return .done
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(Messages.put(delaySeconds: delay(sent)))
        sent += 1
    }
}
