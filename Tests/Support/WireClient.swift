import Glibc
import JSON
package import SystemKit
import Varlink

/// A client that sends what it is told, right or wrong, and shows what comes back.
package final class WireClient {
    private let socket: OwnedFD
    private var splitter = FrameSplitter(frameBytesMax: 64 << 20, readBytesMax: 1 << 16)
    private let parser = JSONParser(lengthMax: 64 << 20, depthMax: 128)
    /// The peer has closed the connection.
    private var isAtEnd = false
    /// Who must live as long as this client: an optimised program lets go of a value after its
    /// last use, also in the middle of a test.
    private let companion: AnyObject?

    /// What came back for a call.
    package struct Answer: Sendable {
        /// The error's name; nil: the call succeeded.
        package let error: String?
        package let parameters: Value
        package let continues: Bool

        package subscript(name: String) -> Value { parameters[name] }
    }

    /// How a call is to be answered.
    package enum Flag: String, Sendable {
        case none = ""
        case more = ",\"more\":true"
        case oneway = ",\"oneway\":true"
    }

    package init(_ path: String, keeping companion: AnyObject? = nil) throws {
        let socket = try UnixSocket.connect(path: path)
        try Syscalls.setNonBlocking(socket.rawValue)
        self.socket = socket
        self.companion = companion
    }

    /// A connection that exists already.
    package init(connected socket: consuming OwnedFD, keeping companion: AnyObject?) throws {
        try Syscalls.setNonBlocking(socket.rawValue)
        self.socket = socket
        self.companion = companion
    }

    package var fileDescriptor: Int32 { socket.rawValue }

    // MARK: Calls

    /// Calls a method of `io.retryd` and waits for one answer.
    @discardableResult
    package func call(
        _ method: String, _ parameters: Value = [:], _ flag: Flag = .none
    ) throws -> Answer {
        try send(method, parameters, flag)
        return try receive()
    }

    /// The parameters of an answer that is no error.
    @discardableResult
    package func succeed(_ method: String, _ parameters: Value = [:]) throws -> Value {
        let answer = try call(method, parameters)
        if let error = answer.error {
            throw Failure("\(method): \(error) \(answer.parameters.text)")
        }
        return answer.parameters
    }

    /// Sends a call. A name without a dot is a method of `io.retryd`.
    package func send(
        _ method: String, _ parameters: Value = [:], _ flag: Flag = .none
    ) throws {
        try send(bytes: WireClient.message(method, parameters, flag))
    }

    /// A call as it goes over the wire.
    package static func message(
        _ method: String, _ parameters: Value = [:], _ flag: Flag = .none
    ) -> [UInt8] {
        let name = method.contains(".") ? method : "io.retryd.\(method)"
        let head = "{\"method\":\"\(name)\"\(flag.rawValue),\"parameters\":"
        return Array((head + parameters.text + "}\0").utf8)
    }

    /// Sends bytes as they are. What the daemon answers meanwhile is kept, so that neither waits
    /// for the other.
    package func send(bytes: [UInt8], timeoutMs: Int64 = 20_000) throws {
        let endUsec = Clocks.monotonicUsec() + timeoutMs * 1_000
        var sent = 0
        while sent < bytes.count {
            let result = try bytes[sent...].withUnsafeBytes {
                try Syscalls.send(socket.rawValue, from: $0)
            }
            if case .count(let count) = result {
                sent += count
                continue
            }
            let leftMs = (endUsec - Clocks.monotonicUsec()) / 1_000
            guard leftMs > 0 else { throw Failure("the daemon reads nothing") }
            _ = try Syscalls.wait(for: socket.rawValue, [.writable], timeoutMs: leftMs)
        }
    }

    /// Sends as much as the socket takes at once.
    ///
    /// - Returns: How many bytes.
    package func sendSome(bytes: [UInt8]) throws -> Int {
        var sent = 0
        while sent < bytes.count {
            let result = try bytes[sent...].withUnsafeBytes {
                try Syscalls.send(socket.rawValue, from: $0)
            }
            guard case .count(let count) = result else { break }
            sent += count
        }
        return sent
    }

    // MARK: Answers

    /// The next answer.
    package func receive(timeoutMs: Int64 = 20_000) throws -> Answer {
        guard let answer = try next(timeoutMs: timeoutMs) else {
            throw Failure(isAtEnd ? "the daemon closed the connection" : "no answer in time")
        }
        return answer
    }

    /// The next answer; nil when none came in time or the connection is closed.
    package func next(timeoutMs: Int64) throws -> Answer? {
        let endUsec = Clocks.monotonicUsec() + timeoutMs * 1_000
        while true {
            if let frame = try splitter.next() {
                let reply = try Reply(parser.parse(padded: frame))
                return Answer(
                    error: reply.error?.string, parameters: reply.parameters.map(Value.init) ?? [:],
                    continues: reply.continues)
            }
            if isAtEnd { return nil }
            let leftMs = max(0, (endUsec - Clocks.monotonicUsec() + 999) / 1_000)
            guard try Syscalls.wait(for: socket.rawValue, .readable, timeoutMs: leftMs) else {
                return nil
            }
            try fill()
        }
    }

    private func fill() throws {
        let space = splitter.freeSpace()
        do throws(SystemError) {
            switch try Syscalls.receive(socket.rawValue, into: space) {
            case .count(let count): splitter.filled(count)
            case .wouldBlock: return
            case .end: isAtEnd = true
            }
        } catch {
            guard error.isDisconnect else { throw error }
            isAtEnd = true
        }
    }

    /// Whether the daemon closes the connection without a further answer.
    package func isClosed(withinMs timeoutMs: Int64 = 5_000) throws -> Bool {
        try next(timeoutMs: timeoutMs) == nil && isAtEnd
    }

    /// Ends the sending side; answers still come.
    package func finishSending() throws {
        guard shutdown(socket.rawValue, Int32(SHUT_WR)) == 0 else {
            throw Failure("shutdown: errno \(errno)")
        }
    }
}
