import JSON
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// Looking at one operation: Get, Why, History.
extension Engine {
    private func operationID(_ call: Call) throws(CallFailure) -> OperationID {
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

    private func visible(
        _ id: OperationID, _ connection: Connection
    ) throws(CallFailure) -> Scheduler.View {
        try CallFailure.acting(on: id) { () throws(Refusal) in
            try scheduler.view(id, for: connection.caller)
        }
    }

    func get(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let id = try operationID(call)
        let view = try visible(id, connection)
        guard let address = keepPlace(call, connection) else { return }
        let words = words
        let reply = OperationsReply(address, JSONWriter())
        var firstFailure: [UInt8] = []
        var firstDecision: [UInt8] = []
        reply.writer.beginReply()
        read(.body, of: id) { result in
            var parts = BodyParts()
            if case .body(let read) = result.content { parts = read }
            reply.writer.name("operation")
            reply.writer.summary(view, parts, words)
            reply.writer.payload(of: parts)
            firstFailure = Array(parts.failure)
            firstDecision = Array(parts.decision)
        }
        read(.attempts, of: id) { [self] result in
            if case .attempts(let attempts) = result.content,
                let last = attempts.last(where: { !$0.parts.decision.isEmpty })
            {
                firstFailure = Array(last.parts.failure)
                firstDecision = Array(last.parts.decision)
            }
            firstFailure.withUnsafeBytes { reply.writer.document("failure", $0) }
            firstDecision.withUnsafeBytes { reply.writer.document("decision", $0) }
            reply.writer.name("primary")
            reply.writer.reason(view.reason, words.now)
            reply.writer.endReply()
            fill(address, with: reply.writer)
        }
    }

    func why(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let id = try operationID(call)
        let view = try visible(id, connection)
        let reasons = scheduler.reasons(id, now: now)
        answer(call, connection) { writer in
            writer.member("id", id.rawValue)
            writer.member("state", word: view.state.name)
            writer.name("primary")
            writer.reason(reasons.first ?? .ended, now)
            writer.name("others")
            writer.beginArray()
            for reason in reasons.dropFirst() { writer.reason(reason, now) }
            writer.endArray()
        }
    }

    func history(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let id = try operationID(call)
        let view = try visible(id, connection)
        guard let address = keepPlace(call, connection) else { return }
        let reply = OperationsReply(address, JSONWriter())
        let words = words
        reply.writer.beginReply()
        reply.writer.member("id", id.rawValue)
        reply.writer.name("attempts")
        reply.writer.beginArray()
        read(.body, of: id) { result in
            guard case .body(let parts) = result.content else { return }
            let at = Attributes.toldAt(in: parts.attributes)
            reply.writer.attempt(
                number: 1, at: at ?? view.record.firstFailure.usec, outcome: "failed",
                user: words.lane(view.record.lane).owner, decision: parts.decision,
                failure: parts.failure)
        }
        read(.attempts, of: id) { [self] result in
            if case .attempts(let attempts) = result.content {
                for attempt in attempts {
                    let parts = attempt.parts
                    reply.writer.attempt(
                        number: Int64(attempt.number), at: parts.at.usec,
                        outcome: AttemptRow(rawValue: parts.outcome)?.name ?? "unknown",
                        user: parts.user, decision: parts.decision, failure: parts.failure)
                }
            }
            if view.state == .succeeded || view.state == .cancelled {
                reply.writer.attempt(
                    number: Int64(view.record.attempts) + (view.state == .succeeded ? 1 : 0),
                    at: view.record.since.usec, outcome: view.state.name, user: nil,
                    decision: BodyParts.nothing, failure: BodyParts.nothing)
            }
            reply.writer.endArray()
            reply.writer.endReply()
            fill(address, with: reply.writer)
        }
    }
}

extension JSONWriter {
    /// The type `Attempt`.
    fileprivate mutating func attempt(
        number: Int64, at: Int64, outcome: StaticString, user: UserID?,
        decision: UnsafeRawBufferPointer, failure: UnsafeRawBufferPointer
    ) {
        beginObject()
        member("number", number)
        member("at_usec", at)
        member("outcome", word: outcome)
        member("uid", user.map { Int64($0) })
        document("decision", decision)
        document("failure", failure)
        endObject()
    }
}
