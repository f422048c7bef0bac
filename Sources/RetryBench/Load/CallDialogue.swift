/// Makes calls of retryd, one after the other, again and again.
struct CallDialogue: Dialogue {
    static var terminator: UInt8 { Messages.end }

    private let calls: [[UInt8]]
    private var next = 0

    init(_ calls: [[UInt8]]) {
        self.calls = calls
    }

    /// Hands operations over.
    init(submitsTo queue: String) {
        self.init([Messages.submit(queue: queue)])
    }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(calls[next])
        next = next + 1 == calls.count ? 0 : next + 1
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message)
        return .done
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        begin(slot, into: &requests)
    }
}

/// Puts jobs into beanstalkd, one after the other.
struct PutDialogue: Dialogue {
    static var terminator: UInt8 { UInt8(ascii: "\n") }

    let request: [UInt8]

    init(delaySeconds: Int) {
        request = Messages.put(delaySeconds: delaySeconds)
    }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(request)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message, begins: "INSERTED ")
        return .done
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(request)
    }
}
