package import JSON

/// An operation as List and Watch tell it.
public struct OperationSummary: Hashable, Sendable {
    public var id: Int64
    public var key: String?
    public var queue: String
    public var kind: String
    public var ownerID: Int64
    public var state: String
    /// Why parked or dead.
    public var cause: String?
    public var dueUsec: Int64?
    /// Why it does not run, as a code of docs/STATES.md.
    public var reason: String
    /// When the reason can next change by itself.
    public var untilUsec: Int64?
    public var attempts: Int64
    public var deferrals: Int64
    public var recoveries: Int64
    public var priority: Int64
    public var rule: String?
    public var policy: String
    public var scope: String
    public var destination: String?
    public var credential: String?
    public var tags: [String]
    public var firstFailureUsec: Int64
    /// Since when it is in its state.
    public var sinceUsec: Int64
    /// A failure after it is the last.
    public var deadlineUsec: Int64?
    /// What else keeps it waiting.
    public var others: [ToldReason]

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        key = try value.optionalString("key")
        queue = try value.requiredString("queue")
        kind = try value.requiredString("kind")
        ownerID = try value.requiredInteger("owner_uid")
        state = try value.requiredString("state")
        cause = try value.optionalString("cause")
        dueUsec = try value.optionalInteger("due_usec")
        reason = try value.requiredString("reason")
        untilUsec = try value.optionalInteger("until_usec")
        attempts = try value.requiredInteger("attempts")
        deferrals = try value.requiredInteger("deferrals")
        recoveries = try value.requiredInteger("recoveries")
        priority = try value.requiredInteger("priority")
        rule = try value.optionalString("rule")
        policy = try value.requiredString("policy")
        scope = try value.requiredString("scope")
        destination = try value.optionalString("destination")
        credential = try value.optionalString("credential")
        tags = try value.strings("tags")
        firstFailureUsec = try value.requiredInteger("first_failure_usec")
        sinceUsec = try value.requiredInteger("since_usec")
        deadlineUsec = try value.optionalInteger("deadline_usec")
        // A daemon of an earlier version does not tell them.
        others = value["others"] == nil ? [] : try value.list("others", ToldReason.init)
    }

    /// Whether it can still be tried without anybody reviving it.
    public var isLive: Bool {
        switch state {
        case "dead", "succeeded", "cancelled": false
        default: true
        }
    }
}

/// Which operations are meant. Every member given must match.
public struct OperationFilter: Hashable, Sendable {
    public var queue: String?
    public var kind: String?
    /// Any of these; nil: whatever the state.
    public var states: [String]?
    public var key: String?
    public var ownerID: Int64?
    public var destination: String?
    public var credential: String?
    public var rule: String?

    public init() {}

    public var isEmpty: Bool { self == OperationFilter() }

    package func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("queue", queue)
        writer.member("kind", kind)
        if let states {
            writer.name("state")
            writer.beginArray()
            for state in states { writer.string(state) }
            writer.endArray()
        }
        writer.member("key", key)
        writer.member("owner_uid", ownerID)
        writer.member("destination", destination)
        writer.member("credential", credential)
        writer.member("rule", rule)
        writer.endObject()
    }
}

/// One operation, or all that a filter names.
public enum OperationSelection: Hashable, Sendable {
    case id(Int64)
    case filter(OperationFilter)

    func write(into writer: inout JSONWriter) {
        switch self {
        case .id(let id): writer.member("id", id)
        case .filter(let filter):
            writer.name("filter")
            filter.write(into: &writer)
        }
    }
}

/// The answer to Get.
public struct OperationDetails: Hashable, Sendable {
    public var operation: OperationSummary
    public var payload: OperationDraft.Payload
    /// The newest one told.
    public var failure: RawJSON?
    public var decision: ToldDecision?
    public var primary: ToldReason

    package init(_ value: JSONValue) throws(ClientError) {
        operation = try OperationSummary(value.requiredObject("operation"))
        payload = try OperationDraft.Payload(in: value)
        failure = value.optionalRaw("failure")
        decision = try ToldDecision.optional("decision", in: value)
        primary = try ToldReason(value.requiredObject("primary"))
    }
}

extension OperationDraft.Payload {
    /// Reads `payload` or `payload_base64` of an answer.
    init(in value: JSONValue) throws(ClientError) {
        if let base64 = value.optional("payload_base64") {
            guard let bytes = base64.text.flatMap({ Base64.decode($0.bytes) }) else {
                throw ClientError(
                    .malformedReply,
                    "an answer of retryd is not understood: its payload is not "
                        + "base64")
            }
            self = .bytes(bytes)
        } else if let payload = value.optional("payload") {
            self = payload.string.map { .text($0) } ?? .json(RawJSON(payload))
        } else {
            self = .none
        }
    }
}
