import JSON
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// Watch: the present state, then every change as it is stored.
extension Engine {
    func watch(_ call: Call, _ connection: Connection) throws(CallFailure) {
        var filter = FilterParameters()
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members {
                guard member.name == "filter" else { throw Decode.unknown(member) }
                filter = try FilterParameters(try Decode.object(member))
            }
        }
        guard call.more else { throw .service(.expectedMore) }
        guard let token = connection.token else { return }
        var present = filter
        if present.states == nil {
            present.states = Set(OperationState.allCases.filter(\.isLive))
        }
        for id in ids(present, for: connection.caller) {
            if let view = scheduler.view(id) {
                tell("present", view, nil, filter, connection)
            }
        }
        answerContinued(connection) { writer in
            writer.event("settled", now)
            writer.name("operation")
            writer.null()
            writer.name("decision")
            writer.null()
        }
        connection.pause = .stream
        connection.watch = WatchStream(filter: filter)
        watches.append(token)
    }

    func tellWatches(_ change: Change, _ id: OperationID, _ decision: Decision?) {
        guard let view = scheduler.view(id) else { return }
        let lane = scheduler.lane(view.record.lane)
        for token in watches {
            guard let connection = connection(token), let watch = connection.watch,
                connection.caller.mayAct(onOperationsOf: lane.owner),
                watch.filter.matches(lane: lane)
            else { continue }
            if connection.replies.waiting >= Limits.watchBacklogMax {
                // It would miss something from here on; ending is the honest way to say so.
                journal.closed(connection.peer, reason: "a watcher that does not read")
                close(connection)
                continue
            }
            tell(change.eventName, view, decision, watch.filter, connection)
        }
    }

    /// Key and tags are on disk: the event waits for them behind the batch it belongs to.
    private func tell(
        _ event: StaticString, _ view: Scheduler.View, _ decision: Decision?,
        _ filter: FilterParameters, _ connection: Connection
    ) {
        guard let address = keepPlace(connection) else { return }
        let words = words
        read(.attributes, of: view.record.id) { [self] result in
            var parts: BodyParts?
            if case .body(let read) = result.content { parts = read }
            var writer = JSONWriter()
            if let key = filter.key, parts?.key.elementsEqual(key.utf8) != true {
                return fill(address, with: writer)
            }
            writer.beginReply()
            writer.event(event, words.now)
            writer.name("operation")
            writer.summary(view, parts, words)
            writer.name("decision")
            if let decision { writer.decision(decision, words) } else { writer.null() }
            writer.endReply(continues: true)
            fill(address, with: writer)
        }
    }
}

struct WatchStream {
    var filter: FilterParameters
}

extension JSONWriter {
    fileprivate mutating func event(_ name: StaticString, _ now: Now) {
        member("event", word: name)
        member("at_usec", now.wall.usec)
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
        case .removed: "removed"
        }
    }
}
