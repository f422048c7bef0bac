import JSON
import RetryCore
import RetryExplain
import RetryModel
import RetryStore
import Varlink

/// Looking at one operation: Get and Why.
extension Engine {
    func operationID(_ call: Call) throws(CallFailure) -> OperationID {
        try CallFailure.reading { () throws(ServiceError) in
            var id: OperationID?
            for member in call.members {
                guard member.name == "id" else { throw Decode.unknown(member) }
                id = try Decode.operationID(member)
            }
            guard let id else { throw Decode.missing("id") }
            return id
        }
    }

    func visible(
        _ id: OperationID, _ connection: Connection
    ) throws(CallFailure) -> Scheduler.View {
        try CallFailure.acting(on: id) { () throws(Refusal) in
            try scheduler.view(id, for: connection.caller, now: now)
        }
    }

    private struct GetParameters {
        var id: OperationID
        /// Of the texts for people; nil: none are asked for.
        var language: String?

        init(_ call: Call) throws(ServiceError) {
            var id: OperationID?
            for member in call.members {
                switch member.name {
                case "id": id = try Decode.operationID(member)
                case "language": language = try Decode.name(member)
                default: throw Decode.unknown(member)
                }
            }
            guard let id else { throw Decode.missing("id") }
            self.id = id
        }
    }

    func get(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try GetParameters(call)
        }
        let id = parameters.id
        let view = try visible(id, connection)
        let bytes = answerBytes(view.record)
        guard let address = keepPlace(call, connection, reserving: bytes) else { return }
        let words = words
        let reply = OperationsReply(address, JSONWriter())
        var failure: [UInt8] = []
        var decision: [UInt8] = []
        reply.writer.beginReply()
        read(.body, of: id) { result in
            let parts = reply.body(result)
            reply.writer.name("operation")
            reply.writer.summary(view, parts, words)
            reply.writer.payload(of: parts)
            failure = Array(parts.failure)
            decision = Array(parts.decision)
        }
        read(.attempts, of: id) { [self] result in
            if let last = reply.attempts(result).last(where: { !$0.parts.decision.isEmpty }) {
                failure = Array(last.parts.failure)
                decision = Array(last.parts.decision)
            }
            failure.withUnsafeBytes { reply.writer.document("failure", $0) }
            decision.withUnsafeBytes { reply.writer.document("decision", $0) }
            reply.writer.name("primary")
            reply.writer.reason(view.reason, words.now)
            if let language = parameters.language {
                reply.writer.messagesMember(
                    messages(of: decision, view.record.cause, language: language))
            }
            reply.writer.endReply()
            fill(reply)
        }
    }

    func why(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let id = try operationID(call)
        let view = try visible(id, connection)
        let reasons = scheduler.reasons(id, now: now)
        var running = 0
        if case .noWorker(let queue) = reasons.first {
            running = scheduler.runningCount(queue: queue)
        }
        answer(call, connection) { writer in
            writer.member("id", id.rawValue)
            writer.member("state", word: view.state.name)
            writer.name("primary")
            writer.reason(reasons.first ?? .ended, now, running: running)
            writer.name("others")
            writer.beginArray()
            for reason in reasons.dropFirst() { writer.reason(reason, now) }
            writer.endArray()
        }
    }
}
