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
        connection.pause = .stream
        connection.watch = WatchStream(filter: filter)
        watches.append(token)
        var present = filter
        if present.states == nil {
            present.states = Set(OperationState.allCases.filter(\.isLive))
        }
        let scan = Scan(present, for: connection.caller, after: OperationID(rawValue: 0))
        collect(scan) { [self] in tellPresent(scan, connection) }
    }

    /// Tells a page of what was there when the watch began, as it stands now.
    private func tellPresent(_ scan: Scan, _ connection: Connection) {
        guard !connection.isClosed else { return }
        for id in scan.take(Limits.listPageMax) {
            guard let view = scheduler.view(id),
                scan.filter.states?.contains(view.state) != false
            else { continue }
            tell("present", view, nil, scan.filter, connection)
        }
        if scan.isEmpty { return settle(connection) }
        afterwards { [self] in
            whenRead(connection) { [self] in tellPresent(scan, connection) }
        }
    }

    /// The present state is told: what changed meanwhile follows.
    private func settle(_ connection: Connection) {
        answerContinued(connection) { writer in
            writer.event("settled", now)
            writer.name("operation")
            writer.null()
            writer.name("decision")
            writer.null()
        }
        guard let watch = connection.watch else { return }
        connection.watch?.meanwhile = nil
        for change in watch.meanwhile ?? [] {
            tell(change.name, change.view, change.decision, watch.filter, connection)
        }
    }

    func tellWatches(_ change: Change, _ id: OperationID, _ decision: Decision?) {
        guard let view = scheduler.view(id) else { return }
        let lane = scheduler.lane(view.record.lane)
        let rule = ruleNames.name(view.record.rule)
        for token in watches {
            guard let connection = connection(token), let watch = connection.watch,
                connection.caller.mayAct(onOperationsOf: lane.owner),
                watch.filter.matches(lane: lane), watch.filter.matches(view.state, rule: rule)
            else { continue }
            if isBehind(connection, watch) {
                // It would miss something from here on; ending is the honest way to say so.
                journal.closed(connection.peer, reason: "a watcher that does not read", at: now)
                close(connection)
            } else if watch.meanwhile != nil {
                connection.watch?.meanwhile?.append(
                    WatchStream.Change(name: change.eventName, view: view, decision: decision))
                charge(connection)
            } else {
                tell(change.eventName, view, decision, watch.filter, connection)
            }
        }
    }

    private func isBehind(_ connection: Connection, _ watch: WatchStream) -> Bool {
        let count = connection.replies.waiting + (watch.meanwhile?.count ?? 0)
        let bytes = connection.answerBytes
        if count >= Limits.watchBacklogMax || bytes >= Limits.watchBacklogBytesMax { return true }
        // Of a user's watchers those go first that are behind at all.
        return bytes >= Limits.watchBacklogSmall
            && connection.share.answerBytes >= Limits.outputBytesPerUserMax
    }

    /// Key and tags are on disk: the event waits for them behind the batch it belongs to.
    private func tell(
        _ event: StaticString, _ view: Scheduler.View, _ decision: Decision?,
        _ filter: FilterParameters, _ connection: Connection
    ) {
        guard let address = keepPlace(connection, reserving: Limits.summaryBytes) else { return }
        let words = words
        read(.attributes, of: view.record.id) { [self] result in
            var parts = BodyParts()
            switch result.content {
            case .body(let read): parts = read
            // Removed by now.
            case .missing: break
            case .failed(let error):
                journal.closed(connection.peer, reason: "\(error)", at: now)
                return close(connection)
            case .failure, .attempts: preconditionFailure("attributes were asked for")
            }
            var writer = JSONWriter()
            if let key = filter.key, !parts.key.elementsEqual(key.utf8) {
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
    /// What has changed while the present state is told; nil: that is over.
    var meanwhile: [Change]? = []

    struct Change {
        var name: StaticString
        var view: Scheduler.View
        var decision: Decision?
    }
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
