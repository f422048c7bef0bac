import JSON
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// What a watcher asked for.
struct WatchStream {
    var role = WatchRole.audit
    var filter = FilterParameters()
    /// Of a handler: whose operations it cares for.
    private(set) var handledOwner: UserID?
    /// What has changed while the present state is told; nil: that is over.
    var meanwhile: [WatchEvent]? = []

    init(_ call: Call, by caller: Caller) throws(ServiceError) {
        for member in call.members {
            switch member.name {
            case "filter": filter = try FilterParameters(try Decode.object(member))
            case "role":
                role = try Decode.word(member, WatchRole.self) { $0.name } ?? .audit
            default: throw Decode.unknown(member)
            }
        }
        if role == .handler { handledOwner = filter.owner ?? caller.user }
    }

    /// Whether an event on an operation is for this watcher.
    func concerns(_ event: WatchEvent, of owner: UserID, _ caller: Caller) -> Bool {
        if let handledOwner { return handledOwner == owner && event.needsAction }
        return caller.mayAct(onOperationsOf: owner)
    }

    /// Whether two handlers would be told the same: then one of them is, and the other one takes
    /// over from it.
    func takesTurns(with other: WatchStream) -> Bool {
        role == .handler && other.role == .handler && handledOwner == other.handledOwner
            && filter == other.filter
    }
}

/// Who watches.
enum WatchRole: CaseIterable {
    /// Told everything.
    case audit
    /// Told what somebody must act on, one at a time.
    case handler

    var name: StaticString {
        switch self {
        case .audit: "audit"
        case .handler: "handler"
        }
    }

    /// The states that are told as present where the filter names none.
    var presentStates: Set<OperationState> {
        switch self {
        case .audit: Set(OperationState.allCases.filter(\.isLive))
        case .handler: [.parked]
        }
    }
}

/// Something that happened to an operation, as watchers are told it.
struct WatchEvent {
    var name: StaticString
    var view: Scheduler.View
    var decision: Decision?
    /// What became of it by a person's choice.
    var outcome: StaticString?
    /// The sign-in that was refused.
    var signal: SignalName?
    /// Somebody must act, or has acted.
    var needsAction = false

    init(_ name: StaticString, _ view: Scheduler.View, _ decision: Decision?) {
        self.name = name
        self.view = view
        self.decision = decision
    }
}

extension Recovery {
    /// The word on the wire.
    var name: StaticString {
        switch self {
        case .retried: "retried"
        case .cancelled: "cancelled"
        }
    }
}

extension JSONWriter {
    /// The members of an answer of Watch.
    mutating func watchEvent(_ event: WatchEvent, _ parts: BodyParts, _ words: Words) {
        member("event", word: event.name)
        member("at_usec", words.now.wall.usec)
        name("operation")
        summary(event.view, parts, words)
        name("decision")
        if let decision = event.decision { self.decision(decision, words) } else { null() }
        if let outcome = event.outcome { member("outcome", word: outcome) }
        if let signal = event.signal { member("signal", signal.text) }
    }
}

extension Change {
    /// The word of a Watch event.
    var eventName: StaticString {
        switch self {
        case .accepted: "accepted"
        case .attemptFailed: "attempt-failed"
        case .succeeded: "succeeded"
        case .gaveUp: "gave-up"
        case .scheduled: "scheduled"
        case .held: "held"
        case .ready: "ready"
        case .leased: "leased"
        case .leaseLost: "lease-lost"
        case .released: "released"
        case .parked: "parked"
        case .cancelled: "cancelled"
        case .revived: "revived"
        case .replaced: "replaced"
        case .resolved: "resolved"
        case .recovered: "recovered"
        case .removed: "removed"
        }
    }

    /// Somebody must act on it, or has chosen to.
    var needsAction: Bool {
        switch self {
        case .gaveUp, .parked, .recovered: true
        case .accepted, .attemptFailed, .succeeded, .scheduled, .held, .ready, .leased,
            .leaseLost, .released, .cancelled, .revived, .replaced, .resolved, .removed:
            false
        }
    }
}
