import JSON
import RetryCore
import RetryModel
import Varlink

/// Pause, Resume and ListPauses.
extension Engine {
    private struct Request {
        var scope = PauseScope()
        var isAll = false
        var reason: String?
        var lasting: Span?

        init(_ call: Call, isResume: Bool) throws(ServiceError) {
            for member in call.members {
                switch member.name {
                case "queue": scope.queue = try Decode.name(member)
                case "destination": scope.destination = try Decode.name(member)
                case "credential": scope.credential = try Decode.name(member)
                case "owner_uid":
                    scope.owner = try Decode.integer(member, 0...Int64(UInt32.max)).map {
                        UserID($0)
                    }
                case "all": isAll = try Decode.bool(member) ?? false
                case "reason" where !isResume:
                    reason =
                        try Decode.text(member, bytesMax: Limits.pauseReasonBytesMax)?.string
                case "ttl_ms" where !isResume:
                    lasting = try Decode.span(member, .milliseconds(1)...Span.days(365))
                default: throw Decode.unknown(member)
                }
            }
            // Nobody is to stop a host by leaving something out.
            if scope == PauseScope(), !isAll {
                throw .invalidParameter(
                    "all", reason: "name what is meant, or say `all` to mean everything")
            }
        }
    }

    /// What a caller means: without an owner an admin means all users, others themselves.
    private func request(
        _ call: Call, isResume: Bool, _ caller: Caller
    ) throws(CallFailure) -> Request {
        var request = try CallFailure.reading { () throws(ServiceError) in
            try Request(call, isResume: isResume)
        }
        if request.scope.owner == nil, !caller.isAdmin { request.scope.owner = caller.user }
        return request
    }

    func pause(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let caller = connection.caller
        let request = try request(call, isResume: false, caller)
        let count = try CallFailure.acting { () throws(Refusal) in
            try scheduler.pauseAsked(
                request.scope, reason: request.reason ?? "", lasting: request.lasting, by: caller,
                now: now, into: &effects)
        }
        carryOutEffects()
        journal.paused(
            request.scope.text, by: caller.user, reason: request.reason ?? "", holds: count)
        answer(call, connection) { writer in writer.member("waiting", Int64(count)) }
    }

    func resume(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let caller = connection.caller
        let request = try request(call, isResume: true, caller)
        let count = try CallFailure.acting { () throws(Refusal) in
            try scheduler.resumeAsked(request.scope, by: caller, now: now, into: &effects)
        }
        carryOutEffects()
        if let count { journal.resumed(request.scope.text, by: caller.user, released: count) }
        answer(call, connection) { writer in
            writer.member("paused", count != nil)
            writer.member("released", Int64(count ?? 0))
        }
    }

    func listPauses(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
        let pauses = scheduler.pauses(visibleTo: connection.caller)
        answer(call, connection) { writer in
            writer.name("pauses")
            writer.beginArray()
            for pause in pauses {
                let record = pause.record
                writer.beginObject()
                writer.member("owner_uid", record.scope.owner.map { Int64($0) })
                writer.member("queue", record.scope.queue)
                writer.member("destination", record.scope.destination)
                writer.member("credential", record.scope.credential)
                writer.member("author_uid", Int64(record.author))
                writer.member("reason", record.reason)
                writer.member("since_usec", record.since.usec)
                writer.member("until_usec", record.until, now)
                writer.member("waiting", Int64(pause.waiting))
                writer.endObject()
            }
            writer.endArray()
        }
    }
}

extension PauseScope {
    /// As a sentence begins with it.
    fileprivate var text: String {
        var parts: [String] = []
        if let queue { parts.append("queue \(Escape.line(queue))") }
        if let destination { parts.append("destination \(Escape.line(destination))") }
        if let credential { parts.append("credential \(Escape.line(credential))") }
        if let owner { parts.append("user \(owner)") }
        return parts.isEmpty ? "everything" : parts.joined(separator: ", ")
    }
}
