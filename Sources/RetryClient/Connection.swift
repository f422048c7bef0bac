import JSON
import RetryModel
import SystemKit
import Varlink

/// One connection to the daemon: calls go out in order, replies come back in the same order.
///
/// It waits for the socket, never in it, so that every wait has its deadline and a daemon that
/// answers while calls are still being sent cannot lock both sides up. Deadlines are of
/// `Clocks.monotonicUsec`; nil waits for ever.
final class Connection {
    /// The daemon bounds what it sends; this stops a stranger.
    private static let replyBytesMax = 64 << 20

    private let socket: OwnedFD
    private var splitter = FrameSplitter(
        frameBytesMax: replyBytesMax, readBytesMax: Limits.readBytesMax)
    private let parser = JSONParser(
        lengthMax: replyBytesMax, depthMax: Limits.messageDepthMax)
    /// Calls in line; the first `sentBytes` of them were sent.
    private var output = JSONWriter()
    private var sentBytes = 0
    /// Replies that came while calls did not fit into the socket, oldest first.
    private var inbox: [[UInt8]] = []
    /// Calls whose last reply has not been taken.
    private(set) var outstanding = 0

    init(path: String) throws(ClientError) {
        do throws(UnixSocketError) {
            socket = try UnixSocket.connect(path: path)
        } catch {
            throw ClientError(connectingTo: path, error)
        }
        do throws(SystemError) {
            try Syscalls.setNonBlocking(socket.rawValue)
        } catch {
            throw ClientError(.notReachable, error.description)
        }
    }

    var fileDescriptor: Int32 { socket.rawValue }

    /// Whether the daemon closed this connection while nobody called, as it does when it restarts.
    /// Bytes that nobody asked for end a connection as well.
    var isEnded: Bool {
        if outstanding > 0 { return false }
        do throws(ClientError) {
            return try fill()
        } catch {
            return true
        }
    }

    // MARK: Calls

    /// Puts a call in line. It is sent with the next `flush` or `receive`.
    func enqueue(expectsReply: Bool, _ write: (inout JSONWriter) -> Void) {
        write(&output)
        if expectsReply { outstanding += 1 }
    }

    /// Sends what is in line.
    func flush(deadlineUsec: Int64?) throws(ClientError) {
        while sentBytes < output.count {
            if try send() { continue }
            // The daemon stops reading from who does not take its answers.
            repeat {
                while let frame = try nextFrame() { inbox.append(Array(frame)) }
            } while try fill()
            try wait([.readable, .writable], deadlineUsec)
        }
        output.restart()
        sentBytes = 0
    }

    /// Sends what the socket takes of what is in line, without waiting.
    /// - Returns: whether that was all.
    func flushNow() throws(ClientError) -> Bool {
        while sentBytes < output.count {
            guard try send() else { return false }
        }
        output.restart()
        sentBytes = 0
        return true
    }

    /// - Returns: false when the socket takes nothing at present.
    private func send() throws(ClientError) -> Bool {
        let sent = output.withBytes { bytes in
            Result { () throws(SystemError) in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sentBytes...])
                return try Syscalls.send(socket.rawValue, from: rest)
            }
        }
        switch sent {
        case .success(.count(let count)):
            sentBytes += count
            return true
        case .success(.wouldBlock): return false
        case .success(.end): preconditionFailure("sending has no end")
        case .failure(let error):
            // A daemon that refuses the connection says why and closes it.
            guard error.isDisconnect, hasLastWords() else {
                throw ClientError(losing: error.reason)
            }
            sentBytes = output.count
            return true
        }
    }

    /// Takes in what the daemon sent before it closed the connection.
    private func hasLastWords() -> Bool {
        do throws(ClientError) {
            repeat {
                while let frame = try nextFrame() { inbox.append(Array(frame)) }
            } while try fill()
        } catch {
            return !inbox.isEmpty
        }
        return !inbox.isEmpty
    }

    // MARK: Replies

    /// The next reply in order. Valid until the next use of this connection.
    ///
    /// An error that the daemon told is in the reply; what is thrown ends the connection.
    func receive(deadlineUsec: Int64?) throws(ClientError) -> Reply {
        try flush(deadlineUsec: deadlineUsec)
        while true {
            if let reply = try receiveNow() { return reply }
            try wait(.readable, deadlineUsec)
        }
    }

    /// The next reply if it is here, without waiting.
    func receiveNow() throws(ClientError) -> Reply? {
        if !inbox.isEmpty { return try read(inbox.removeFirst()) }
        while true {
            if let frame = try nextFrame() { return try read(frame) }
            guard try fill() else { return nil }
        }
    }

    private func nextFrame() throws(ClientError) -> UnsafeRawBufferPointer? {
        do throws(FrameError) {
            return try splitter.next()
        } catch {
            throw ClientError(misunderstanding: error.description)
        }
    }

    /// Reads what is there. Only when `nextFrame` has nothing left.
    /// - Returns: false when nothing is there at present.
    private func fill() throws(ClientError) -> Bool {
        let result: IOResult
        do throws(SystemError) {
            result = try Syscalls.receive(socket.rawValue, into: splitter.freeSpace())
        } catch {
            throw ClientError(losing: error.reason)
        }
        switch result {
        case .count(let count):
            splitter.filled(count)
            return true
        case .wouldBlock: return false
        case .end: throw ClientError(losing: "the daemon closed the connection")
        }
    }

    private func read(_ frame: UnsafeRawBufferPointer) throws(ClientError) -> Reply {
        let value: JSONValue
        do throws(JSONError) {
            value = try parser.parse(padded: frame)
        } catch {
            throw ClientError(misunderstanding: error.message)
        }
        return try accept(value)
    }

    private func read(_ frame: [UInt8]) throws(ClientError) -> Reply {
        let value: JSONValue
        do throws(JSONError) {
            value = try parser.parse(frame)
        } catch {
            throw ClientError(misunderstanding: error.message)
        }
        return try accept(value)
    }

    private func accept(_ value: JSONValue) throws(ClientError) -> Reply {
        let reply: Reply
        do throws(ReplyError) {
            reply = try Reply(value)
        } catch {
            throw ClientError(misunderstanding: error.description)
        }
        guard outstanding > 0 else {
            throw ClientError(misunderstanding: "it came without a call")
        }
        if !reply.continues { outstanding -= 1 }
        return reply
    }

    private func wait(_ events: IOEvents, _ deadlineUsec: Int64?) throws(ClientError) {
        let leftMs = deadlineUsec.map { max(0, ($0 - Clocks.monotonicUsec() + 999) / 1_000) }
        let isReady: Bool
        do throws(SystemError) {
            isReady = try Syscalls.wait(for: socket.rawValue, events, timeoutMs: leftMs)
        } catch {
            throw ClientError(losing: error.reason)
        }
        if !isReady { throw ClientError.late }
    }
}

extension ClientError {
    /// Why a connection could not be made.
    init(connectingTo path: String, _ error: UnixSocketError) {
        switch error.code {
        case SystemError.notFound:
            self.init(
                .notRunning,
                "no retryd at \(path): there is no such socket; start it with "
                    + "\"systemctl start retryd.socket\" (with --user for your own), or name its "
                    + "socket with \(SocketPath.variable)")
        case SystemError.refused:
            self.init(
                .notRunning,
                "no retryd at \(path): nobody answers on the socket; start it with "
                    + "\"systemctl start retryd\" (with --user for your own)")
        case SystemError.accessDenied:
            self.init(
                .socketForbidden,
                "no access to \(path): its mode or that of its directory keeps you out; ask the "
                    + "administrator (SocketMode= in retryd.socket)")
        case _:
            self.init(.notReachable, "no retryd at \(path): \(error.description)")
        }
    }

    init(losing reason: String) {
        self.init(
            .connectionLost,
            "the connection to retryd was lost: \(reason); whether the call was carried out is "
                + "not known")
    }

    init(misunderstanding reason: String) {
        self.init(
            .malformedReply,
            "an answer of retryd is not understood: \(reason); is something else listening on "
                + "the socket?")
    }

    static var late: ClientError {
        ClientError(
            .timedOut,
            "retryd did not answer in time; whether the call was carried out is not known; "
                + "\"systemctl status retryd\" says what it is doing")
    }
}
