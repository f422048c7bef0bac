/// What a load generator says to a daemon, and what it makes of the answers.
///
/// A generator has a number of slots, each with one request under way; a slot's next request
/// follows from its last answer. Answers come in the order of the requests.
protocol Dialogue {
    /// Ends each message of the daemon.
    static var terminator: UInt8 { get }

    /// The first request of a slot.
    mutating func begin(_ slot: Int, into requests: inout RequestBuffer)

    /// A message for a slot's request came.
    mutating func take(
        _ message: UnsafeRawBufferPointer, for slot: Int
    ) throws(BenchError) -> Progress

    /// The slot's next request, after an answer.
    mutating func goOn(_ slot: Int, into requests: inout RequestBuffer)
}

/// What a message means for its request.
enum Progress {
    /// The answer goes on in the next message.
    case unfinished
    /// The answer to the request.
    case answered
    /// The same, and with it one unit of the work that is counted is done.
    case done
}
