import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// Watch: the present state, then every change as it is stored.
extension Engine {
    func watch(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let stream = try CallFailure.reading { () throws(ServiceError) in
            try WatchStream(call, by: connection.caller)
        }
        guard call.more else { throw .service(.expectedMore) }
        if let owner = stream.handledOwner, !connection.caller.mayAct(onOperationsOf: owner) {
            throw .denied(
                "what needs to be done about operations of user \(owner) is told to that user and "
                    + "to \(settings.configuration.adminGroupName)")
        }
        guard let token = connection.token else { return }
        connection.pause = .stream
        connection.watch = stream
        watches.append(token)
        if isReceiver(token, stream) {
            beginWatch(connection)
        } else {
            tellStandby(connection)
        }
    }

    /// Tells the present state, then what changes.
    func beginWatch(_ connection: Connection) {
        guard let watch = connection.watch else { return }
        connection.watch?.meanwhile = []
        var present = watch.filter
        if present.states == nil {
            present.states = watch.role.presentStates
        }
        let scan = Scan(present, for: connection.caller, after: OperationID(rawValue: 0))
        collect(scan) { [self] in tellPresent(scan, connection) }
    }

    /// Tells a page of what was there when the watch began, as it stands now.
    private func tellPresent(_ scan: Scan, _ connection: Connection) {
        guard !connection.isClosed else { return }
        for id in scan.take(Limits.listPageMax) {
            guard let view = scheduler.view(id, now: now),
                scan.filter.states?.contains(view.state) != false
            else { continue }
            tell(WatchEvent("present", view, nil), scan.filter, connection)
        }
        if scan.isEmpty { return settle(connection) }
        afterwards { [self] in
            whenRead(connection) { [self] in tellPresent(scan, connection) }
        }
    }

    /// The present state is told: what changed meanwhile follows.
    private func settle(_ connection: Connection) {
        guard let watch = connection.watch else { return }
        if watch.role == .handler { tellRefusedCredentials(connection, watch) }
        tellBare("settled", connection)
        connection.watch?.meanwhile = nil
        for event in watch.meanwhile ?? [] { tell(event, watch.filter, connection) }
    }

    func tellWatches(_ change: Change, _ id: OperationID, _ decision: Decision?) {
        guard let view = scheduler.view(id, now: now) else { return }
        var event = WatchEvent(change.eventName, view, decision)
        event.needsAction = change.needsAction
        if case .recovered(let recovery) = change { event.outcome = recovery.name }
        tellWatches(event)
    }

    /// Tells an event to all it concerns.
    func tellWatches(_ event: WatchEvent) {
        let record = event.view.record
        let lane = scheduler.lane(record.lane)
        let rule = ruleNames.name(record.rule)
        for token in watches {
            guard let connection = connection(token), let watch = connection.watch,
                watch.concerns(event, of: lane.owner, connection.caller),
                watch.filter.matches(lane: lane),
                watch.filter.matches(event.view.state, rule: rule), isReceiver(token, watch)
            else { continue }
            if isBehind(connection, watch) {
                // It would miss something from here on; ending is the honest way to say so.
                journal.closed(connection.peer, reason: "a watcher that does not read", at: now)
                close(connection)
            } else if watch.meanwhile != nil {
                connection.watch?.meanwhile?.append(event)
                charge(connection)
            } else {
                tell(event, watch.filter, connection)
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

    /// An event that is about no operation.
    func tellBare(
        _ name: StaticString, _ connection: Connection, signal: SignalName? = nil
    ) {
        answerContinued(connection) { writer in
            writer.member("event", word: name)
            writer.member("at_usec", now.wall.usec)
            writer.name("operation")
            writer.null()
            writer.name("decision")
            writer.null()
            if let signal { writer.member("signal", signal.text) }
        }
    }

    /// Key and tags are on disk: the event waits for them behind the batch it belongs to.
    private func tell(
        _ event: WatchEvent, _ filter: FilterParameters, _ connection: Connection
    ) {
        guard let address = keepPlace(connection, reserving: Limits.summaryBytes) else { return }
        let words = words
        read(.attributes, of: event.view.record.id) { [self] result in
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
            writer.watchEvent(event, parts, words)
            writer.endReply(continues: true)
            fill(address, with: writer)
        }
    }
}
