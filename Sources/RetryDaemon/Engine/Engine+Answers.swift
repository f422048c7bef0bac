import JSON
import RetryCore
import RetryModel
import RetryStore
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

    func refuse(_ failure: CallFailure, _ call: Call, _ connection: Connection) {
        if case .refused(let refusal, _) = failure, let reason = refusal.reasonForAdmins {
            journal.refused(call.method.string, of: connection.caller.user, reason, at: now)
        }
        if call.oneway { return }
        scratch.restart()
        scratch.failure(failure)
        append(scratch, connection)
    }

    /// A whole reply to a call that could not be read.
    func answer(_ connection: Connection, _ body: (inout JSONWriter) -> Void) {
        scratch.restart()
        body(&scratch)
        append(scratch, connection)
    }

    private func append(_ writer: JSONWriter, _ connection: Connection) {
        writer.withBytes { bytes in
            connection.replies.append(
                bytes.bindMemory(to: UInt8.self), after: batchOfAnswers, stored: stored)
        }
        awaitStore(connection)
        touch(connection)
    }

    /// Writes the decision on an operation, once for store and answer.
    func writeDecision(_ decision: Decision?, of id: OperationID) {
        scratchDecision.restart()
        decidedOperation = decision == nil ? nil : id
        if let decision { scratchDecision.decision(decision, words) }
    }

    /// - Parameter takesWritten: Nothing else was decided for the operation since the decision was
    ///   written.
    func write(
        _ decision: Decision, of id: OperationID, into writer: inout JSONWriter,
        takesWritten: Bool
    ) {
        if takesWritten, decidedOperation == id {
            scratchDecision.withBytes { writer.raw($0) }
        } else {
            writer.decision(decision, words)
        }
    }

    /// Keeps the place of an answer that needs something read first. Nil for a oneway call.
    ///
    /// - Parameter bytes: About how long it will be.
    func keepPlace(
        _ call: Call, _ connection: Connection, reserving bytes: Int = 0
    ) -> ReplyAddress? {
        if call.oneway { return nil }
        return keepPlace(connection, reserving: bytes)
    }

    func keepPlace(_ connection: Connection, reserving bytes: Int = 0) -> ReplyAddress? {
        guard let token = connection.token else { return nil }
        let gap = connection.replies.appendGap(reserving: bytes)
        charge(connection)
        awaitStore(connection)
        return ReplyAddress(connection: token, gap: gap)
    }

    /// Gives the answer whose place was kept.
    ///
    /// - Parameter batch: The batch that must be stored first; by default what it tells is stored.
    func fill(_ address: ReplyAddress?, with writer: JSONWriter, after batch: UInt64? = nil) {
        guard let address, let connection = connection(address.connection) else { return }
        writer.withBytes { bytes in
            connection.replies.fill(
                address.gap, with: bytes.bindMemory(to: UInt8.self), after: batch ?? stored,
                stored: stored)
        }
        connection.replies.stored(through: stored)
        touch(connection)
    }

    /// Gives an answer that was written piece by piece, or the reason why it cannot be.
    func fill(_ reply: OperationsReply, after batch: UInt64? = nil) {
        if let failure = reply.failure {
            reply.writer.restart()
            reply.writer.refusal(.storeUnavailable(failure), of: nil)
        }
        fill(reply.address, with: reply.writer, after: batch)
    }
}

extension Refusal {
    /// Of refusals an administrator may want to know of; nil: it is between caller and daemon.
    fileprivate var reasonForAdmins: String? {
        switch self {
        case .permissionDenied(let reason): reason
        case .quotaExceeded(let limit): "the limit \(limit) is reached"
        case .noSuchOperation, .staleLease, .wrongState, .invalidParameter, .storeUnavailable: nil
        }
    }
}

extension Engine {
    /// An empty reply, with the memory of an earlier one where there is one.
    func makeReply(_ address: ReplyAddress?, continues: Bool = false) -> OperationsReply {
        guard let reply = spareReplies.popLast() else {
            return OperationsReply(address, JSONWriter(), continues: continues)
        }
        reply.restart(address, continues: continues)
        return reply
    }

    /// Takes a reply back that was given.
    func recycle(_ reply: OperationsReply) {
        guard spareReplies.count < Self.spareRepliesMax,
            reply.writer.capacity <= Self.spareReplyBytesMax
        else { return }
        spareReplies.append(reply)
    }

    /// As many as a worker usually has under way, of the size of usual payloads: 1 MiB together.
    private static let spareRepliesMax = 64
    private static let spareReplyBytesMax = 16 * 1024
}

/// An answer whose content is read from the store after it was begun.
final class OperationsReply {
    /// Nil for a oneway call.
    private(set) var address: ReplyAddress?
    var writer: JSONWriter
    private(set) var continues: Bool
    /// Why something that belongs into it could not be read. It must not be answered without: a
    /// worker would run an operation without its payload.
    private(set) var failure: String?

    init(_ address: ReplyAddress?, _ writer: JSONWriter, continues: Bool = false) {
        self.address = address
        self.writer = writer
        self.continues = continues
    }

    /// Makes it a new one, with the memory it has.
    func restart(_ address: ReplyAddress?, continues: Bool) {
        self.address = address
        self.continues = continues
        failure = nil
        writer.restart()
    }

    /// An operation's body, or of it what was asked for; empty when it could not be read.
    func body(_ result: ReadResult) -> BodyParts {
        switch result.content {
        case .body(let parts): return parts
        case .missing: failure = "the body of operation \(result.id.rawValue) is not there"
        case .failed(let error): failure = "\(error)"
        case .failure, .attempts: preconditionFailure("a body was asked for")
        }
        return BodyParts()
    }

    /// The attempts after the first.
    func attempts(_ result: ReadResult) -> [(number: UInt32, parts: AttemptParts)] {
        switch result.content {
        case .attempts(let attempts): return attempts
        case .failed(let error): failure = "\(error)"
        case .missing: return []
        case .body, .failure: preconditionFailure("attempts were asked for")
        }
        return []
    }

    /// The newest failure; empty where none was ever told.
    func newestFailure(_ result: ReadResult) -> UnsafeRawBufferPointer {
        switch result.content {
        case .failure(let document): return document
        case .failed(let error): failure = "\(error)"
        case .missing: return BodyParts.nothing
        case .body, .attempts: preconditionFailure("a failure was asked for")
        }
        return BodyParts.nothing
    }
}
