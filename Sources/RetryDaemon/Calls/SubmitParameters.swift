import JSON
import RetryModel
import Varlink

/// The words of one Submit, read but not yet judged. Views on the call: valid as long as it.
struct SubmitParameters {
    var operation = OperationParameters()
    var failure: JSONValue?
    /// Of the texts for people; nil: none are asked for.
    var language: String?

    init(_ call: Call) throws(ServiceError) {
        var operation: JSONValue?
        if let members = call.parameters?.members {
            for member in members {
                switch member.name {
                case "operation": operation = try Decode.object(member)
                case "failure": failure = try Decode.object(member)
                case "language": language = try Decode.name(member)
                default: throw Decode.unknown(member)
                }
            }
        }
        guard let operation else { throw Decode.missing("operation") }
        self.operation = try OperationParameters(operation)
    }

    /// An item of SubmitMany.
    init(item: JSONValue) throws(ServiceError) {
        guard let members = item.members else {
            throw .invalidParameter("items", reason: "each item must be an object")
        }
        var operation: JSONValue?
        for member in members {
            switch member.name {
            case "operation": operation = try Decode.object(member)
            case "failure": failure = try Decode.object(member)
            default: throw Decode.unknown(member)
            }
        }
        guard let operation else { throw Decode.missing("operation") }
        self.operation = try OperationParameters(operation)
    }
}

/// The type `Operation` of the interface.
struct OperationParameters {
    var lane = LaneWords()
    var key: JSONText?
    var keyMode = KeyMode.keep
    var payload: JSONValue?
    var payloadBase64: JSONText?
    var priority: Int8 = 0
    var tags: JSONValue?
    var deadline: WallTime?
    var isIdempotent: Bool?
    var retriesUnknown = false

    /// Priorities outside are refused: a number that means nothing is a mistake.
    static let priorities: ClosedRange<Int64> = -100...100

    init() {}

    init(_ value: JSONValue) throws(ServiceError) {
        guard let members = value.members else { throw Decode.missing("operation") }
        for member in members { try take(member) }
        if payload != nil, payloadBase64 != nil {
            throw .invalidParameter("payload_base64", reason: "`payload` is given as well")
        }
    }

    private mutating func take(_ member: JSONValue.Member) throws(ServiceError) {
        switch member.name {
        case "queue": lane.queue = try Decode.nameText(member)
        case "kind": lane.kind = try Decode.word(member, Kind.self) { $0.name }
        case "key": key = try Decode.key(member)
        case "key_mode": keyMode = try Decode.word(member, KeyMode.self) { $0.name } ?? .keep
        case "payload": payload = member.value.isNull ? nil : member.value
        case "payload_base64": payloadBase64 = try Decode.text(member, bytesMax: .max)
        case "scope": lane.scope = try Decode.nameText(member)
        case "destination": lane.destination = try Decode.nameText(member)
        case "credential": lane.credential = try Decode.nameText(member)
        case "policy": lane.policy = try Decode.nameText(member)
        case "priority": priority = Int8(try Decode.integer(member, Self.priorities) ?? 0)
        case "tags": tags = try Self.tags(member)
        case "deadline_usec", "deadline": deadline = try Decode.wallTime(member)
        case "idempotent": isIdempotent = try Decode.bool(member)
        case "unknown":
            retriesUnknown = try Decode.word(member, Unknown.self) { $0.name } == .retry
        default: throw Decode.unknown(member)
        }
    }

    private static func tags(_ member: JSONValue.Member) throws(ServiceError) -> JSONValue? {
        try Decode.names(member, countMax: Limits.tagsMax)
        return try Decode.array(member)
    }

    /// What to make of a failure no rule knows.
    enum Unknown: CaseIterable {
        case permanent
        case retry

        var name: StaticString {
            switch self {
            case .permanent: "permanent"
            case .retry: "retry"
            }
        }
    }
}
