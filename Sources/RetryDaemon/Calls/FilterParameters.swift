import JSON
import RetryCore
import RetryModel
import Varlink

/// The type `Filter` of the interface: every member given must match.
struct FilterParameters: Equatable {
    var queue: String?
    var kind: Kind?
    var states: Set<OperationState>?
    var key: String?
    var owner: UserID?
    var destination: String?
    var credential: String?
    var rule: String?

    init() {}

    init(_ value: JSONValue?) throws(ServiceError) {
        guard let members = value?.members else { return }
        for member in members {
            switch member.name {
            case "queue": queue = try Decode.name(member)
            case "kind": kind = try Decode.word(member, Kind.self) { $0.name }
            case "state": states = try Self.states(member)
            case "key": key = try Decode.key(member)?.string
            case "owner_uid":
                owner = try Decode.integer(member, 0...Int64(UInt32.max)).map { UserID($0) }
            case "destination": destination = try Decode.name(member)
            case "credential": credential = try Decode.name(member)
            case "rule": rule = try Decode.name(member)
            default: throw Decode.unknown(member)
            }
        }
    }

    private static func states(
        _ member: JSONValue.Member
    ) throws(ServiceError) -> Set<OperationState>? {
        guard let words = try Decode.strings(member, countMax: 16) else { return nil }
        var states: Set<OperationState> = []
        for word in words {
            guard let state = OperationState.allCases.first(where: { "\($0.name)" == word }) else {
                let known = OperationState.allCases.map { "\($0.name)" }.joined(separator: ", ")
                throw .invalidParameter("state", reason: "no state `\(word)`; there are \(known)")
            }
            states.insert(state)
        }
        return states
    }

    func matches(_ state: OperationState, rule name: String?) -> Bool {
        if let states, !states.contains(state) { return false }
        if let rule, rule != name { return false }
        return true
    }

    func matches(lane: Lane) -> Bool {
        if let queue, lane.queue != queue { return false }
        if let kind, lane.kind != kind { return false }
        if let owner, lane.owner != owner { return false }
        if let destination, lane.destination != destination { return false }
        if let credential, lane.credential != credential { return false }
        return true
    }
}
