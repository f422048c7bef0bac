public import JSON
import SystemKit
import Varlink

/// A blocking client of retryd.
///
/// It connects with its first call and keeps the connection. One thread uses it; streams
/// (`watch`, `leaseStream`) have connections of their own, because an answer that goes on blocks
/// all that follow it.
public final class RetryClient {
    /// First wait before a connection is tried again; it doubles up to `reconnectDelayMaxMs`.
    private static let reconnectDelayFirstMs: Int64 = 50
    private static let reconnectDelayMaxMs: Int64 = 1_000

    /// The daemon's socket.
    public let path: String
    /// For calls that do not bring their own.
    public var options: CallOptions
    private var connection: Connection?

    public init(path: String, options: CallOptions = CallOptions()) {
        self.path = path
        self.options = options
    }

    // MARK: One call, one answer

    /// Calls a method and waits for its answer.
    ///
    /// - Parameters:
    ///   - isRepeatable: carrying the call out twice is as good as once, so that it may be sent
    ///     again when its answer got lost.
    ///   - parameters: writes the members of the parameters.
    /// - Returns: the answer's parameters, nil where there are none. Valid until the next call.
    @discardableResult
    public func call(
        _ method: StaticString, isRepeatable: Bool, options: CallOptions? = nil,
        parameters: (inout JSONWriter) -> Void = { _ in }
    ) throws(ClientError) -> JSONValue? {
        try call(isRepeatable: isRepeatable, options: options ?? self.options) { writer in
            writer.beginCall(method)
            parameters(&writer)
            writer.endCall()
        }
    }

    /// Calls a method whose name and parameters are known only at run time.
    ///
    /// - Parameter parameters: a JSON object.
    @discardableResult
    public func call(
        named method: String, parameters: RawJSON?, isRepeatable: Bool = false,
        options: CallOptions? = nil
    ) throws(ClientError) -> JSONValue? {
        try call(isRepeatable: isRepeatable, options: options ?? self.options) { writer in
            writer.call(method, parameters: parameters?.bytes ?? [])
        }
    }

    private func call(
        isRepeatable: Bool, options: CallOptions, _ write: (inout JSONWriter) -> Void
    ) throws(ClientError) -> JSONValue? {
        var backOff = BackOff(options)
        while true {
            let connection = try connected(&backOff)
            precondition(connection.outstanding == 0, "pipelined answers are taken first")
            connection.enqueue(expectsReply: true, write)
            do throws(ClientError) {
                return try RetryClient.result(
                    of: connection.receive(deadlineUsec: RetryClient.deadlineUsec(options)))
            } catch {
                if !error.endsConnection { throw error }
                self.connection = nil
                let canRepeat = error.code == .connectionLost && isRepeatable && backOff.wait()
                if !canRepeat { throw error }
            }
        }
    }

    // MARK: Several calls in line

    /// Puts a call in line without waiting; `receive` takes the answers in the order of the calls.
    public func send(
        _ method: StaticString, parameters: (inout JSONWriter) -> Void = { _ in }
    ) throws(ClientError) {
        var backOff = BackOff(options)
        let connection = try connected(&backOff)
        connection.enqueue(expectsReply: true) { writer in
            writer.beginCall(method)
            parameters(&writer)
            writer.endCall()
        }
    }

    /// Calls a method that is not to answer, not even with an error.
    public func sendOneway(
        named method: String, parameters: RawJSON?
    ) throws(ClientError) {
        var backOff = BackOff(options)
        let connection = try connected(&backOff)
        connection.enqueue(expectsReply: false) { writer in
            writer.call(method, .oneway, parameters: parameters?.bytes ?? [])
        }
        try connection.flush(deadlineUsec: RetryClient.deadlineUsec(options))
    }

    /// The answer to the oldest call in line. Valid until the next use of the client.
    public func receive() throws(ClientError) -> JSONValue? {
        guard let connection, connection.outstanding > 0 else {
            preconditionFailure("receive without a call in line")
        }
        do throws(ClientError) {
            return try RetryClient.result(
                of: connection.receive(deadlineUsec: RetryClient.deadlineUsec(options)))
        } catch {
            if error.endsConnection { self.connection = nil }
            throw error
        }
    }

    // MARK: Streams

    /// Calls a method that answers again and again, on a connection of its own.
    public func stream(
        _ method: StaticString, options: CallOptions? = nil,
        parameters: (inout JSONWriter) -> Void = { _ in }
    ) throws(ClientError) -> ReplyStream {
        try stream(options: options ?? self.options) { writer in
            writer.beginCall(method, .more)
            parameters(&writer)
            writer.endCall()
        }
    }

    /// Calls a method that answers again and again and is known only at run time.
    public func stream(
        named method: String, parameters: RawJSON?, options: CallOptions? = nil
    ) throws(ClientError) -> ReplyStream {
        try stream(options: options ?? self.options) { writer in
            writer.call(method, .more, parameters: parameters?.bytes ?? [])
        }
    }

    private func stream(
        options: CallOptions, _ write: (inout JSONWriter) -> Void
    ) throws(ClientError) -> ReplyStream {
        var backOff = BackOff(options)
        let connection = try RetryClient.connect(path, &backOff)
        connection.enqueue(expectsReply: true, write)
        try connection.flush(deadlineUsec: RetryClient.deadlineUsec(options))
        return ReplyStream(connection)
    }

    // MARK: Connections

    private func connected(_ backOff: inout BackOff) throws(ClientError) -> Connection {
        // One that the daemon closed meanwhile is replaced before anything was sent on it.
        if let connection, !connection.isEnded { return connection }
        connection = nil
        let new = try RetryClient.connect(path, &backOff)
        connection = new
        return new
    }

    private static func connect(
        _ path: String, _ backOff: inout BackOff
    ) throws(ClientError) -> Connection {
        while true {
            do throws(ClientError) {
                return try Connection(path: path)
            } catch {
                guard error.code == .notRunning, backOff.wait() else { throw error }
            }
        }
    }

    /// Takes a reply apart: an error of the daemon is thrown.
    static func result(of reply: Reply) throws(ClientError) -> JSONValue? {
        if let error = reply.error {
            throw ClientError(name: error.string, parameters: reply.parameters)
        }
        return reply.parameters
    }

    static func deadlineUsec(_ options: CallOptions) -> Int64? {
        options.timeoutMs.map { Clocks.monotonicUsec() + $0 * 1_000 }
    }

    /// Waits between tries to reach the daemon, longer each time, until the time is up.
    private struct BackOff {
        private let endUsec: Int64
        private var delayMs = reconnectDelayFirstMs

        init(_ options: CallOptions) {
            endUsec = Clocks.monotonicUsec() + options.reconnectMs * 1_000
        }

        /// - Returns: false when the time is up.
        mutating func wait() -> Bool {
            let nowUsec = Clocks.monotonicUsec()
            guard nowUsec < endUsec else { return false }
            // Half of it is drawn, so that the clients of a restarted daemon do not come at once.
            let drawnMs = Int64(Entropy.seed() % UInt64(delayMs / 2 + 1))
            let leftMs = (endUsec - nowUsec + 999) / 1_000
            Clocks.sleep(ms: min(delayMs / 2 + drawnMs, leftMs))
            delayMs = min(2 * delayMs, reconnectDelayMaxMs)
            return true
        }
    }
}

extension ClientError {
    /// Whether the connection it happened on is of no use any more. Errors told by the daemon
    /// leave it as it was.
    var endsConnection: Bool {
        code == .connectionLost || code == .timedOut || code == .malformedReply
    }
}
