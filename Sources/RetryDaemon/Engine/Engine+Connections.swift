import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit

/// Connections: taking them in and letting them go. Engine+Receiving and Engine+Sending have what
/// happens in between.
extension Engine {
    /// A client connected. One that is refused is told why before it is closed: the error answers
    /// the first call it makes.
    func connected(_ socket: consuming OwnedFD) throws(SystemError) {
        let peer = try PeerCredentials(of: socket.rawValue)
        let limits = settings.configuration.limits
        let share = shareOfUser[peer.user] ?? UserShare()
        guard connectionCount < limits.connectionsMax else {
            return refuse(socket, of: peer.user, limit: "connections")
        }
        guard share.connectionCount < limits.connectionsPerUserMax || peer.user == 0 else {
            return refuse(socket, of: peer.user, limit: "connections-per-user")
        }
        let connection = Connection(
            socket: socket, peer: peer,
            caller: Caller(user: peer.user, isAdmin: isAdmin(peer)), share: share,
            messageBytesMax: limits.messageBytesMax)
        let token = try polls.add(connection.socket.rawValue, .readable)
        connection.token = token
        while connections.count <= token.slot { connections.append(nil) }
        connections[token.slot] = connection
        connectionCount += 1
        share.connectionCount += 1
        shareOfUser[peer.user] = share
        connectionsOfProcess[connection.peerProcess, default: 0] += 1
    }

    private func refuse(_ socket: borrowing OwnedFD, of user: UserID, limit: String) {
        journal.refusedConnection(of: user, limit: limit, at: now)
        scratch.restart()
        scratch.refusal(.quotaExceeded(limit), of: nil)
        // It fits into the buffer of a new socket; a peer that is gone misses nothing.
        scratch.withBytes { bytes in _ = try? Syscalls.send(socket.rawValue, from: bytes) }
    }

    private func isAdmin(_ peer: PeerCredentials) -> Bool {
        if peer.user == 0 || peer.user == identity.user { return true }
        guard let group = settings.configuration.adminGroup else { return false }
        return peer.isMember(of: group)
    }

    func connection(_ token: PollToken) -> Connection? {
        polls.contains(token) ? connections[token.slot] : nil
    }

    /// Lets a connection go. Its leases get the grace in which its process may come back.
    func close(_ connection: Connection) {
        guard let token = connection.token else { return }
        let watch = connection.watch
        let wasReceiver = watch.map { isReceiver(token, $0) } ?? false
        polls.remove(token)
        connections[token.slot] = nil
        connection.token = nil
        connection.continuation = nil
        company.left(&connection.expected)
        connectionCount -= 1
        uncharge(connection)
        connection.share.connectionCount -= 1
        if connection.share.connectionCount == 0 { shareOfUser[connection.peer.user] = nil }
        watches.removeAll { $0 == token }
        waiters.remove(token)
        for id in connection.leaseStream?.out ?? [] where streamOf[id] == token {
            streamOf[id] = nil
        }
        if let watch { watcherLeft(watch, wasReceiver: wasReceiver) }
        leaveProcess(connection.peerProcess)
    }
}
