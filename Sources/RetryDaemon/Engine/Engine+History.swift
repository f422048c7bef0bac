import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// The attempts of an operation: telling them and keeping them.
extension Engine {
    func history(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let id = try operationID(call)
        let view = try visible(id, connection)
        let bytes = answerBytes(view.record)
        guard let address = keepPlace(call, connection, reserving: bytes) else { return }
        let reply = OperationsReply(address, JSONWriter())
        let words = words
        reply.writer.beginReply()
        reply.writer.member("id", id.rawValue)
        reply.writer.name("attempts")
        reply.writer.beginArray()
        var told: (body: BodyCopy, at: Int64)?
        read(.body, of: id) { result in
            let parts = reply.body(result)
            let at = Attributes.toldAt(in: parts.attributes) ?? view.record.firstFailure.usec
            told = (BodyCopy(parts), at)
        }
        read(.attempts, of: id) { [self] result in
            let attempts = reply.attempts(result)
            // A body that was replaced is that of a later line.
            if let told, !attempts.contains(where: { $0.parts.isOfBody }) {
                told.body.withParts { decision, failure in
                    reply.writer.attempt(
                        number: 1, at: told.at, outcome: "failed",
                        user: words.lane(view.record.lane).owner, decision: decision,
                        failure: failure)
                }
            }
            for attempt in attempts {
                let parts = attempt.parts
                reply.writer.attempt(
                    number: Int64(attempt.number), at: parts.at.usec,
                    outcome: AttemptRow(rawValue: parts.outcome)?.name ?? "unknown",
                    user: parts.user, decision: parts.decision, failure: parts.failure)
            }
            if view.state == .succeeded || view.state == .cancelled {
                reply.writer.attempt(
                    number: Int64(attempts.last?.number ?? 1) + 1,
                    at: view.record.since.usec, outcome: view.state.name, user: nil,
                    decision: BodyParts.nothing, failure: BodyParts.nothing)
            }
            reply.writer.endArray()
            reply.writer.endReply()
            fill(reply)
        }
    }

    /// Orders an attempt stored in the history.
    ///
    /// - Parameters:
    ///   - failure: Its document is in `scratchFailure`.
    ///   - user: Who told it.
    func saveAttempt(
        _ id: OperationID, _ outcome: AttemptRow, _ failure: ReadFailure? = nil,
        _ decision: Decision? = nil, by user: UserID
    ) {
        writeDecision(decision, of: id)
        var parts = AttemptParts(outcome: outcome.rawValue, at: now.wall, user: user)
        if let event = failure?.eventID { parts.eventID = UnsafeRawBufferPointer(event.bytes) }
        let countMax = settings.configuration.retention.attemptsMax
        scratchDecision.withBytes { decision in
            parts.decision = decision
            guard failure != nil else {
                return filling.saveAttempt(id, parts, keeping: countMax)
            }
            scratchFailure.withBytes { failure in
                parts.failure = failure
                filling.saveAttempt(id, parts, keeping: countMax)
            }
        }
    }
}

/// How a line of the history ended, as the store keeps it. The numbers are for ever.
enum AttemptRow: UInt8, CaseIterable {
    case failed = 1
    case lost = 2
    case stale = 3
    case duplicate = 4
    case revived = 5
    case replaced = 6
    case released = 7
    case reclassified = 8
    case resolved = 9

    /// The word on the wire.
    var name: StaticString {
        switch self {
        case .failed: "failed"
        case .lost: "lost"
        case .stale: "stale"
        case .duplicate: "duplicate"
        case .revived: "revived"
        case .replaced: "replaced"
        case .released: "released"
        case .reclassified: "reclassified"
        case .resolved: "resolved"
        }
    }
}

extension AttemptParts {
    /// Told together with a new body: the failure in the body is this one.
    var isOfBody: Bool {
        switch AttemptRow(rawValue: outcome) {
        case .revived, .replaced: !decision.isEmpty
        case .failed, .lost, .stale, .duplicate, .released, .reclassified, .resolved, nil: false
        }
    }
}

/// Of a body what the history tells, kept until the attempts are read.
private struct BodyCopy {
    private let decision: [UInt8]
    private let failure: [UInt8]

    init(_ parts: BodyParts) {
        decision = Array(parts.decision)
        failure = Array(parts.failure)
    }

    func withParts(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
        decision.withUnsafeBytes { decision in
            failure.withUnsafeBytes { failure in body(decision, failure) }
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
