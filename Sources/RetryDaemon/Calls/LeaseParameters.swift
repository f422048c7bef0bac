import JSON
import RetryModel
import Varlink

struct LeaseParameters {
    var queues: [String] = []
    var max = 1
    var visibility: Span?
    var wait = Span.zero

    static let visibilities = Limits.visibilityMin...Limits.visibilityMax

    init(_ call: Call) throws(ServiceError) {
        for member in call.members {
            switch member.name {
            case "queues": queues = try Decode.strings(member, countMax: 64) ?? []
            case "max": max = Int(try Decode.integer(member, 1...Int64(Limits.batchMax)) ?? 1)
            case "visibility_ms": visibility = try Decode.span(member, Self.visibilities)
            case "wait_ms": wait = try Decode.span(member, .zero...Limits.waitMax) ?? .zero
            default: throw Decode.unknown(member)
            }
        }
        guard !queues.isEmpty else { throw Decode.missing("queues") }
    }

    init(queue: String, max: Int, visibility: Span?) {
        queues = [queue]
        self.max = max
        self.visibility = visibility
    }
}

struct ReportParameters {
    var id: OperationID
    var token: LeaseToken
    var isSuccess: Bool
    var failure: JSONValue?
    var leaseNext = 0
    /// Of the texts for people; nil: none are asked for.
    var language: String?

    init(_ call: Call) throws(ServiceError) {
        var id: OperationID?
        var token: LeaseToken?
        var outcome: Outcome?
        for member in call.members {
            switch member.name {
            case "id": id = try Decode.operationID(member)
            case "token": token = try Decode.leaseToken(member)
            case "outcome": outcome = try Decode.word(member, Outcome.self) { $0.name }
            case "failure": failure = try Decode.object(member)
            case "language": language = try Decode.name(member)
            case "lease_next":
                leaseNext = Int(try Decode.integer(member, 0...Int64(Limits.batchMax)) ?? 0)
            default: throw Decode.unknown(member)
            }
        }
        guard let id else { throw Decode.missing("id") }
        guard let token else { throw Decode.missing("token") }
        guard let outcome else { throw Decode.missing("outcome") }
        self.id = id
        self.token = token
        isSuccess = outcome == .succeeded
    }

    private enum Outcome: CaseIterable {
        case succeeded
        case failed

        var name: StaticString {
            switch self {
            case .succeeded: "succeeded"
            case .failed: "failed"
            }
        }
    }
}

struct ReleaseParameters {
    var id: OperationID
    var token: LeaseToken
    var delay = Span.zero
    var leaseNext = 0

    init(_ call: Call) throws(ServiceError) {
        var id: OperationID?
        var token: LeaseToken?
        for member in call.members {
            switch member.name {
            case "id": id = try Decode.operationID(member)
            case "token": token = try Decode.leaseToken(member)
            case "delay_ms": delay = try Decode.span(member, .zero...Span.days(365)) ?? .zero
            case "lease_next":
                leaseNext = Int(try Decode.integer(member, 0...Int64(Limits.batchMax)) ?? 0)
            default: throw Decode.unknown(member)
            }
        }
        guard let id else { throw Decode.missing("id") }
        guard let token else { throw Decode.missing("token") }
        self.id = id
        self.token = token
    }
}

struct ExtendParameters {
    var id: OperationID
    var token: LeaseToken
    var visibility: Span?
    var holderProcess: Int32?

    /// Something is asked for that must be stored.
    var changesLease: Bool { visibility != nil || holderProcess != nil }

    init(_ call: Call) throws(ServiceError) {
        var id: OperationID?
        var token: LeaseToken?
        for member in call.members {
            switch member.name {
            case "id": id = try Decode.operationID(member)
            case "token": token = try Decode.leaseToken(member)
            case "visibility_ms":
                visibility = try Decode.span(member, LeaseParameters.visibilities)
            case "holder_pid":
                holderProcess = try Decode.integer(member, 1...Int64(Int32.max)).map { Int32($0) }
            default: throw Decode.unknown(member)
            }
        }
        guard let id else { throw Decode.missing("id") }
        guard let token else { throw Decode.missing("token") }
        self.id = id
        self.token = token
    }
}
