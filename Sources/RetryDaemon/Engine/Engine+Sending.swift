import RetryModel
import SystemKit

/// Answers on their way out.
extension Engine {
    /// Takes note that there may be something to send or another interest at the end of the turn.
    func touch(_ connection: Connection) {
        charge(connection)
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

    func send(_ connection: Connection) throws(SystemError) {
        connection.watchesWritable = false
        while connection.replies.unsentCount > 0, !connection.hasHungUp {
            let result = try connection.replies.withUnsent { bytes throws(SystemError) in
                try Syscalls.send(connection.socket.rawValue, from: bytes)
            }
            guard case .count(let count) = result else {
                connection.watchesWritable = true
                break
            }
            connection.replies.markSent(count)
        }
        // Nobody reads it any more.
        if connection.hasHungUp { connection.replies.markSent(connection.replies.unsentCount) }
        charge(connection)
        goOn(connection)
        if connection.isClosed { return }
        if connection.isEnding, connection.pause == .none, connection.replies.isEmpty,
            !connection.waitsForRoom
        {
            return close(connection)
        }
        try watch(connection)
    }

    /// Goes on with what waited for the client to read.
    private func goOn(_ connection: Connection) {
        guard connection.replies.byteCount < Limits.outputBytesMax / 2 || connection.hasHungUp
        else { return }
        if let continuation = connection.continuation {
            connection.continuation = nil
            continuation()
        }
        if connection.isThrottled { _ = goesOn(connection) }
    }

    private func watch(_ connection: Connection) throws(SystemError) {
        guard let token = connection.token else { return }
        let interest = connection.interest
        if interest == connection.watched { return }
        try polls.modify(token, interest)
        connection.watched = interest
    }

    /// Goes on with something that fills answers piece by piece when its client has read what is
    /// there: at once, or later from `send`.
    func whenRead(_ connection: Connection, _ body: @escaping () -> Void) {
        if connection.replies.byteCount < Limits.outputBytesMax || connection.hasHungUp {
            return body()
        }
        connection.continuation = body
        touch(connection)
    }
}
