import RetryCore
import RetryModel
import SystemKit

/// Handlers: of those who would be told the same, the first that came is told; the next one takes
/// over when it goes.
extension Engine {
    /// Whether a watcher is told what happens.
    func isReceiver(_ token: PollToken, _ watch: WatchStream) -> Bool {
        guard watch.role == .handler else { return true }
        let first = watches.first { other in
            connection(other)?.watch?.takesTurns(with: watch) ?? false
        }
        return first == token
    }

    func tellStandby(_ connection: Connection) {
        connection.watch?.meanwhile = nil
        tellBare("standby", connection)
    }

    /// A watcher has gone, which may have been the one that was told.
    ///
    /// - Parameter wasReceiver: It was.
    func watcherLeft(_ watch: WatchStream, wasReceiver: Bool) {
        guard wasReceiver, watch.role == .handler else { return }
        for token in watches {
            guard let connection = connection(token), let next = connection.watch,
                next.takesTurns(with: watch)
            else { continue }
            return beginWatch(connection)
        }
    }

    /// A sign-in was refused: one notice in the journal and one event, however many wait for it.
    func credentialRefused(_ name: SignalName, by id: OperationID) {
        guard let view = scheduler.view(id, now: now) else { return }
        let lane = scheduler.lane(view.record.lane)
        journal.credentialRefused(
            lane, by: view.record, ruleNames.name(view.record.rule),
            held: scheduler.heldCount(name))
        if watches.isEmpty { return }
        var event = WatchEvent("credential-held", view, nil)
        event.signal = name
        event.needsAction = true
        tellWatches(event)
    }

    /// The sign-ins that are refused at present, for a handler that begins.
    func tellRefusedCredentials(_ connection: Connection, _ watch: WatchStream) {
        for signal in scheduler.signals(visibleTo: connection.caller)
        where !signal.record.isOn && signal.waiting > 0 {
            guard case .credential(let name, let owner) = signal.record.name,
                owner == watch.handledOwner,
                watch.filter.credential ?? name == name
            else { continue }
            tellBare("credential-held", connection, signal: signal.record.name)
        }
    }
}
