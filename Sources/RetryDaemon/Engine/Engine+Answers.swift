import JSON
import RetryModel
import SystemKit
import Varlink

/// Writing answers. Each is held until the batch that was filling when it was made is stored.
extension Engine {
    /// Answers a call with what `body` writes into the parameters.
    func answer(_ call: Call, _ connection: Connection, _ body: (inout JSONWriter) -> Void) {
        if call.oneway { return }
        scratch.restart()
        scratch.beginReply()
        body(&scratch)
        scratch.endReply()
        append(scratch, connection)
    }

    /// One of several answers of a stream; more follow.
    func answerContinued(_ connection: Connection, _ body: (inout JSONWriter) -> Void) {
        scratch.restart()
        scratch.beginReply()
        body(&scratch)
        scratch.endReply(continues: true)
        append(scratch, connection)
    }

    func refuse(_ error: ServiceError, _ call: Call, _ connection: Connection) {
        if call.oneway { return }
        scratch.restart()
        scratch.error(error)
        append(scratch, connection)
    }

    func refuse(
        _ refusal: Refusal, _ call: Call, _ connection: Connection, id: OperationID? = nil
    ) {
        if call.oneway { return }
        scratch.restart()
        scratch.refusal(refusal, of: id)
        append(scratch, connection)
    }

    private func append(_ writer: JSONWriter, _ connection: Connection) {
        writer.bytes.withUnsafeBufferPointer { bytes in
            connection.replies.append(bytes, after: batchOfAnswers, stored: stored)
        }
        touch(connection)
    }

    /// Keeps the place of an answer that needs something read first. Nil for a oneway call.
    func keepPlace(_ call: Call, _ connection: Connection) -> ReplyAddress? {
        if call.oneway { return nil }
        return keepPlace(connection)
    }

    func keepPlace(_ connection: Connection) -> ReplyAddress? {
        guard let token = connection.token else { return nil }
        return ReplyAddress(connection: token, gap: connection.replies.appendGap())
    }

    /// Gives the answer whose place was kept. What it tells is stored by now.
    func fill(_ address: ReplyAddress?, with writer: JSONWriter) {
        guard let address, let connection = connection(address.connection) else { return }
        connection.replies.fill(address.gap, with: writer.bytes, after: stored)
        connection.replies.stored(through: stored)
        touch(connection)
    }
}
