import RetryCore
import RetryModel
import SystemKit

/// Bounds on the memory that answers take: of one connection, of all connections of a user, and of
/// all together. While one is reached, the calls of those concerned are not read, and workers that
/// wait are not served.
extension Engine {
    /// Takes note of what a connection's answers take by now.
    func charge(_ connection: Connection) {
        let bytes = connection.answerBytes
        let change = bytes - connection.chargedBytes
        if change == 0 { return }
        connection.chargedBytes = bytes
        connection.share.answerBytes += change
        answerBytes += change
    }

    /// A connection is let go, and with it what was kept for it.
    func uncharge(_ connection: Connection) {
        connection.share.answerBytes -= connection.chargedBytes
        answerBytes -= connection.chargedBytes
        connection.chargedBytes = 0
    }

    /// How many bytes of answers a connection may be given now; 0 or less: none.
    func answerRoom(_ connection: Connection) -> Int {
        let own = Limits.outputBytesMax - connection.answerBytes
        let room = min(own, Limits.outputBytesPerUserMax - connection.share.answerBytes)
        // Whoever puts things right must not be held up by those who read nothing.
        if connection.caller.isAdmin { return room }
        return min(room, Limits.outputBytesTotalMax - answerBytes)
    }

    /// About how long an answer is that tells all of an operation: what is kept of it, a payload
    /// in base64, and the frame.
    func answerBytes(_ record: OperationRecord) -> Int {
        if record.size == .unknown { return Limits.answerBytesUnknown }
        return record.size.bytes * 4 / 3 + 1_024
    }

    /// Holds a connection up until its answers have room.
    func holdUp(_ connection: Connection) {
        connection.isThrottled = true
        guard !connection.waitsForAnswerRoom, let token = connection.token else { return }
        connection.waitsForAnswerRoom = true
        waitingForAnswerRoom.append(token)
    }

    /// Goes on with those held up whose answers have room by now.
    ///
    /// - Returns: Whether there was one.
    func useAnswerRoom() -> Bool {
        if waitingForAnswerRoom.isEmpty { return false }
        let tokens = waitingForAnswerRoom
        waitingForAnswerRoom = []
        var hasGoneOn = false
        for token in tokens {
            guard let connection = connection(token) else { continue }
            connection.waitsForAnswerRoom = false
            guard connection.isThrottled else { continue }
            if goesOn(connection) {
                hasGoneOn = true
            } else {
                holdUp(connection)
            }
        }
        return hasGoneOn
    }

    /// Goes on with a connection that is held up, if its answers have room: with some to spare,
    /// so that it is not held up again at once.
    func goesOn(_ connection: Connection) -> Bool {
        guard connection.replies.waiting < Limits.pipelineMax / 2,
            connection.answerBytes < Limits.outputBytesMax / 2, answerRoom(connection) > 0
        else { return false }
        connection.isThrottled = false
        if let waiter = waiters.waiter(token: connection.token) {
            wake(for: waiter.request.queues)
        } else {
            takeCalls(connection)
        }
        return true
    }
}
