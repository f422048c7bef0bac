/// Hands operations to retryd, one after the other.
struct SubmitDialogue: Dialogue {
    static var terminator: UInt8 { Messages.end }

    let request: [UInt8]

    init(queue: String) {
        request = Messages.submit(queue: queue)
    }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(request)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message)
        return .done
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(request)
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
