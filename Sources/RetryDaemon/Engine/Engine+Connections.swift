import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit
import Varlink

/// Connections: taking them in, reading calls, sending answers, letting them go.
extension Engine {
    /// A client connected. Refused connections are closed at once: there is no call to answer.
    func connected(_ socket: consuming OwnedFD) throws(SystemError) {
        let peer = try PeerCredentials(of: socket.rawValue)
        let limits = settings.configuration.limits
        let ofUser = connectionsOfUser[peer.user] ?? 0
        guard connectionCount < limits.connectionsMax else {
            return journal.refusedConnection(of: peer.user, limit: "connections-max")
        }
        guard ofUser < limits.connectionsPerUserMax || peer.user == 0 else {
            return journal.refusedConnection(of: peer.user, limit: "connections-per-user-max")
        }
        let connection = Connection(
            socket: socket, peer: peer,
            caller: Caller(user: peer.user, isAdmin: isAdmin(peer)),
            messageBytesMax: limits.messageBytesMax)
        let token = try polls.add(connection.socket.rawValue, .readable)
        connection.token = token
        while connections.count <= token.slot { connections.append(nil) }
        connections[token.slot] = connection
        connectionCount += 1
        connectionsOfUser[peer.user] = ofUser + 1
    }

    private func isAdmin(_ peer: PeerCredentials) -> Bool {
        if peer.user == 0 || peer.user == identity.user { return true }
        guard let group = settings.configuration.adminGroup else { return false }
        return peer.isMember(of: group)
    }

    func connection(_ token: PollToken) -> Connection? {
        polls.contains(token) ? connections[token.slot] : nil
    }

    /// A connection is ready for what the event says.
    func ready(_ event: PollEvent) {
        guard let connection = connection(event.token) else { return }
        do throws(SystemError) {
            if event.events.contains(.writable) { try send(connection) }
            if event.events.contains(.readable), connection.interest.contains(.readable) {
                try receive(connection)
            } else if !event.events.isDisjoint(with: [.hangUp, .error]) {
                close(connection)
            }
        } catch {
            // The peer is gone in the middle (ECONNRESET, EPIPE): nothing it could be told.
            close(connection)
        }
    }

    private func receive(_ connection: Connection) throws(SystemError) {
        let space = connection.splitter.freeSpace()
        switch try Syscalls.receive(connection.socket.rawValue, into: space) {
        case .wouldBlock:
            return
        case .end:
            connection.isEnding = true
            if connection.pause == .none, connection.replies.waiting == 0 {
                return close(connection)
            }
            if connection.pause == .stream { return close(connection) }
            try watch(connection)
        case .count(let count):
            connection.splitter.filled(count)
            takeCalls(connection)
        }
    }

    /// Carries out the calls that have arrived, as far as nothing holds them up.
    func takeCalls(_ connection: Connection) {
        do throws(FrameError) {
            while connection.pause == .none, !connection.isThrottled,
                let frame = try connection.splitter.next()
            {
                take(frame, connection, Resolution())
                guard let token = connection.token, polls.contains(token) else { return }
                connection.isThrottled =
                    connection.replies.waiting >= Limits.pipelineMax
                    || connection.replies.byteCount >= Limits.outputBytesMax
                callsSinceHandOver += 1
                if callsSinceHandOver & 15 == 0 { handOver() }
            }
        } catch {
            journal.closed(connection.peer, reason: "\(error)")
            return close(connection)
        }
        touch(connection)
    }

    /// A call is over that held the connection up.
    func resume(_ connection: Connection) {
        connection.pause = .none
        takeCalls(connection)
    }

    /// Takes note that there may be something to send or another interest at the end of the turn.
    func touch(_ connection: Connection) {
        guard !connection.isDirty, let token = connection.token else { return }
        connection.isDirty = true
        dirty.append(token)
    }

    /// Sends what may go out, and adapts what each touched connection is watched for.
    func sendAll() {
        var index = 0
        // Sending may take up calls again and so touch further connections.
        while index < dirty.count {
            if let connection = connection(dirty[index]) {
                connection.isDirty = false
                do throws(SystemError) {
                    try send(connection)
                } catch {
                    close(connection)
                }
            }
            index += 1
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private func send(_ connection: Connection) throws(SystemError) {
        connection.watchesWritable = false
        while connection.replies.unsentCount > 0 {
            let result = try connection.replies.withUnsent { bytes throws(SystemError) in
                try Syscalls.send(connection.socket.rawValue, from: bytes)
            }
            guard case .count(let count) = result else {
                connection.watchesWritable = true
                break
            }
            connection.replies.markSent(count)
        }
        if connection.isThrottled,
            connection.replies.waiting < Limits.pipelineMax / 2,
            connection.replies.byteCount < Limits.outputBytesMax / 2
        {
            connection.isThrottled = false
            takeCalls(connection)
            guard let token = connection.token, polls.contains(token) else { return }
        }
        if connection.isEnding, connection.pause == .none, connection.replies.waiting == 0,
            connection.replies.unsentCount == 0
        {
            return close(connection)
        }
        try watch(connection)
    }

    private func watch(_ connection: Connection) throws(SystemError) {
        guard let token = connection.token else { return }
        let interest = connection.interest
        if interest == connection.watched { return }
        try polls.modify(token, interest)
        connection.watched = interest
    }

    /// Lets a connection go. Its leases get the grace in which its process may come back.
    func close(_ connection: Connection) {
        guard let token = connection.token, polls.contains(token) else { return }
        polls.remove(token)
        connections[token.slot] = nil
        connection.token = nil
        connectionCount -= 1
        let user = connection.peer.user
        let left = (connectionsOfUser[user] ?? 1) - 1
        connectionsOfUser[user] = left > 0 ? left : nil
        watches.removeAll { $0 == token }
        waiters.remove(token)
        if let holder = connection.holder { holderLeft(holder) }
    }

    /// Takes one message as a call.
    func take(
        _ frame: UnsafeRawBufferPointer, _ connection: Connection, _ resolution: Resolution
    ) {
        counters.calls += 1
        let call: Call
        do {
            call = try Call(try parser.parse(padded: frame))
        } catch {
            // There is no reply that fits what is not a call (UAPI.20).
            journal.closed(connection.peer, reason: "malformed message: \(error)")
            return close(connection)
        }
        carryOut(call, frame, connection, resolution)
    }
}
