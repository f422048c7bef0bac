public import JSON

/// What a stream gives when it is asked for the next answer.
public enum StreamItem<Value> {
    case item(Value)
    /// The time is up; the stream goes on.
    case nothingYet
    /// The last answer has been given.
    case ended
}

/// The answers to one call with `more`, on a connection of its own, which ends with the stream.
public final class ReplyStream {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Readable when there may be something, for callers that wait for several things at once.
    /// They then take items with a time-out of 0 until there is nothing yet.
    public var fileDescriptor: Int32 { connection.fileDescriptor }

    /// The parameters of the next answer. Valid until the next use of the stream.
    ///
    /// - Parameter timeoutMs: nil waits for ever.
    /// - Throws: the error that ended the stream.
    public func next(timeoutMs: Int64? = nil) throws(ClientError) -> StreamItem<JSONValue?> {
        if connection.outstanding == 0 { return .ended }
        let deadlineUsec = RetryClient.deadlineUsec(CallOptions(timeoutMs: timeoutMs))
        let reply: JSONValue?
        do throws(ClientError) {
            reply = try RetryClient.result(of: connection.receive(deadlineUsec: deadlineUsec))
        } catch {
            if error.code == .timedOut { return .nothingYet }
            throw error
        }
        return .item(reply)
    }

    /// The next event of `RetryClient.watch`.
    public func nextEvent(timeoutMs: Int64? = nil) throws(ClientError) -> StreamItem<WatchEvent> {
        try nextAnswer(timeoutMs, WatchEvent.init)
    }

    /// The next leases of `RetryClient.leaseStream`.
    public func nextLeased(
        timeoutMs: Int64? = nil
    ) throws(ClientError) -> StreamItem<[LeasedOperation]> {
        try nextAnswer(timeoutMs) { (answer) throws(ClientError) in
            try answer.list("operations", LeasedOperation.init)
        }
    }

    /// The next page of `RetryClient.listStream`.
    public func nextPage(timeoutMs: Int64? = nil) throws(ClientError) -> StreamItem<OperationPage> {
        try nextAnswer(timeoutMs, OperationPage.init)
    }

    private func nextAnswer<Value>(
        _ timeoutMs: Int64?, _ read: (JSONValue) throws(ClientError) -> Value
    ) throws(ClientError) -> StreamItem<Value> {
        switch try next(timeoutMs: timeoutMs) {
        case .item(let answer):
            guard let answer else { throw ClientError(misunderstanding: "it has no parameters") }
            return .item(try read(answer))
        case .nothingYet: return .nothingYet
        case .ended: return .ended
        }
    }
}
