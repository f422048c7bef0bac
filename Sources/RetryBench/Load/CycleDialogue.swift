/// The whole life of an operation: handed over, leased, given back, leased again, reported on.
///
/// Each slot goes round: Submit; Report on the attempt in hand with `lease_next`, which brings the
/// first attempt of another operation; Release of that with `lease_next`, which brings a second
/// attempt of one. Which operation it is does not matter: in all, each is leased twice, given
/// back once and reported on once.
struct CycleDialogue: Dialogue {
    static var terminator: UInt8 { Messages.end }

    private enum Step {
        case submit
        case report
        case release
        /// There was nothing to lease: waits for something.
        case lease
    }

    private struct Slot {
        var step = Step.submit
        /// The attempt in hand; 0: none.
        var id: Int64 = 0
        var token: Int64 = 0
        /// What follows when a lease was waited for.
        var afterLease = Step.release
    }

    private var slots: [Slot]
    private let submit: [UInt8]
    private let lease: [UInt8]

    init(queue: String, slots: Int) {
        self.slots = Array(repeating: Slot(), count: slots)
        submit = Messages.submit(queue: queue)
        lease = Messages.lease(queue: queue, waitMs: 10_000)
    }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        goOn(slot, into: &requests)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message)
        switch slots[slot].step {
        case .submit:
            slots[slot].step = slots[slot].id == 0 ? .lease : .report
            slots[slot].afterLease = .release
            return .answered
        case .report:
            takeAttempt(message, slot, next: .release)
            return .done
        case .release:
            takeAttempt(message, slot, next: .submit)
            return .answered
        case .lease:
            takeAttempt(message, slot, next: slots[slot].afterLease)
            return .answered
        }
    }

    /// The attempt that came with an answer; without one, one is waited for first.
    private mutating func takeAttempt(
        _ message: UnsafeRawBufferPointer, _ slot: Int, next: Step
    ) {
        guard let id = Answer.end(of: #""operations":[{"id":"#, in: message) else {
            slots[slot].id = 0
            slots[slot].step = .lease
            slots[slot].afterLease = next
            return
        }
        let number = Answer.number(message, at: id)
        slots[slot].id = number.value
        // Behind it comes `,"token":`, nine bytes.
        slots[slot].token = Answer.number(message, at: number.end + 9).value
        slots[slot].step = next
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        switch slots[slot].step {
        case .submit: requests.append(submit)
        case .lease: requests.append(lease)
        case .report:
            requests.append(#"{"method":"io.retryd.Report","parameters":{"id":"#)
            appendAttempt(slot, into: &requests)
            requests.append(#","outcome":"succeeded","lease_next":1}}"#)
            requests.append([Messages.end])
        case .release:
            requests.append(#"{"method":"io.retryd.Release","parameters":{"id":"#)
            appendAttempt(slot, into: &requests)
            requests.append(#","lease_next":1}}"#)
            requests.append([Messages.end])
        }
    }

    private func appendAttempt(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(decimal: slots[slot].id)
        requests.append(#","token":"#)
        requests.append(decimal: slots[slot].token)
    }
}

/// The same life of a job in beanstalkd: put, reserve, release, reserve, delete.
struct JobCycleDialogue: Dialogue {
    static var terminator: UInt8 { UInt8(ascii: "\n") }

    private enum Step {
        case put
        case reserve
        case release
        case reserveAgain
        case delete
    }

    private struct Slot {
        var step = Step.put
        var id: Int64 = 0
        /// The line with the id came; the one with the job follows.
        var awaitsJob = false
    }

    private var slots: [Slot]
    private let put = Messages.put(delaySeconds: 0)

    init(slots: Int) {
        self.slots = Array(repeating: Slot(), count: slots)
    }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        goOn(slot, into: &requests)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        switch slots[slot].step {
        case .put:
            try Answer.check(message, begins: "INSERTED ")
            slots[slot].step = .reserve
            return .answered
        case .reserve, .reserveAgain:
            guard slots[slot].awaitsJob else {
                try Answer.check(message, begins: "RESERVED ")
                slots[slot].id = Answer.number(message, at: 9).value
                slots[slot].awaitsJob = true
                return .unfinished
            }
            slots[slot].awaitsJob = false
            slots[slot].step = slots[slot].step == .reserve ? .release : .delete
            return .answered
        case .release:
            try Answer.check(message, begins: "RELEASED")
            slots[slot].step = .reserveAgain
            return .answered
        case .delete:
            try Answer.check(message, begins: "DELETED")
            slots[slot].step = .put
            return .done
        }
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        switch slots[slot].step {
        case .put: requests.append(put)
        case .reserve, .reserveAgain: requests.append("reserve\r\n")
        case .release:
            requests.append("release ")
            requests.append(decimal: slots[slot].id)
            requests.append(" 1024 0\r\n")
        case .delete:
            requests.append("delete ")
            requests.append(decimal: slots[slot].id)
            requests.append("\r\n")
        }
    }
}
