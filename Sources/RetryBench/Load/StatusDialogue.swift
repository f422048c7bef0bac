/// Asks retryd how it is.
struct StatusDialogue: Dialogue {
    static var terminator: UInt8 { Messages.end }

    mutating func begin(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(Messages.status)
    }

    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress {
        try Answer.check(message)
        return .done
    }

    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer) {
        requests.append(Messages.status)
    }
}
