import RetryCore
import RetryModel
import SystemKit

/// Writes what happens into the journal, in words and fields (docs/OPERATIONS.md lists them).
///
/// A first failure and giving up are told, repeats only at debug. No header, body or message of a
/// failure is ever written: they may hold secrets.
final class Journalist {
    private let thread: JournalThread
    /// What is to be told when the batch that fills is stored, and when the one under way is.
    private var filling: [PendingEntry] = []
    private var submitted: [PendingEntry] = []
    /// journald itself drops more than 10,000 entries in 30 s (journald.conf(5),
    /// RateLimitBurst=), and then drops blindly.
    private var operationBudget = EntryBudget(burst: 2_000, perSecond: 200)
    /// Anybody can connect and be refused as often as he likes.
    private var connectionBudget = EntryBudget(burst: 100, perSecond: 2)

    init(_ thread: JournalThread) {
        self.thread = thread
    }

    var level: JournalPriority {
        get { thread.level }
        set { thread.level = newValue }
    }

    func stop() {
        // A stopped journald must not keep the daemon from ending.
        thread.stop(timeoutMs: 500)
    }

    // MARK: Operations

    func operation(
        _ change: Change, _ id: OperationID, _ engine: Engine, _ decision: Decision?
    ) {
        // The budget before the view: under load most entries are not written.
        guard let kind = change.entry, thread.takes(kind.priority),
            operationBudget.take(at: engine.now.instant), let view = engine.scheduler.view(id)
        else { return }
        tell(suppressed: operationBudget.takeSuppressed(), about: "operations")
        let record = view.record
        let lane = engine.scheduler.lane(record.lane)
        var fields = [
            JournalField("RETRYD_OPERATION", id.rawValue),
            JournalField("RETRYD_QUEUE", lane.queue),
            JournalField("RETRYD_OWNER_UID", lane.owner),
            JournalField("RETRYD_ATTEMPT", record.attempts),
            JournalField("RETRYD_STATE", "\(view.state.name)"),
        ]
        if let destination = lane.destination {
            fields.append(JournalField("RETRYD_DESTINATION", destination))
        }
        if let rule = engine.ruleNames.name(record.rule) {
            fields.append(JournalField("RETRYD_RULE", rule))
        }
        if let decision {
            fields.append(JournalField("RETRYD_DISPOSITION", "\(decision.disposition.name)"))
        }
        if view.state.isWaiting {
            let due = engine.now.wall(of: record.due)
            fields.append(JournalField("RETRYD_NEXT_USEC", due.usec))
        }
        filling.append(
            PendingEntry(
                priority: kind.priority, message: sentence(change, view, lane, engine),
                messageID: kind.id, fields: fields))
    }

    // MARK: Entries that follow their commit

    /// The batch that filled is handed to the store.
    func handedOver() {
        if filling.isEmpty { return }
        submitted += filling
        filling.removeAll(keepingCapacity: true)
    }

    /// The batch under way is stored: what it did is told.
    func committed() {
        if submitted.isEmpty { return }
        for entry in submitted { write(entry) }
        submitted.removeAll(keepingCapacity: true)
    }

    /// Nothing is under way and nothing is to be stored: what only shows in memory is told.
    func settled() {
        if filling.isEmpty { return }
        for entry in filling { write(entry) }
        filling.removeAll(keepingCapacity: true)
    }

    /// The batch under way and what was built upon it are not stored, so it did not happen.
    func commitFailed() {
        let count = submitted.count + filling.count
        submitted = []
        filling = []
        if count == 0 { return }
        thread.write(
            .warning, "\(count) entries were dropped: what they tell could not be stored",
            messageID: MessageID.storeTrouble.rawValue,
            fields: [JournalField("RETRYD_DROPPED", count)])
    }

    private func write(_ entry: PendingEntry) {
        thread.write(
            entry.priority, entry.message, messageID: entry.messageID?.rawValue,
            fields: entry.fields)
    }

    private func sentence(
        _ change: Change, _ view: Scheduler.View, _ lane: Lane, _ engine: Engine
    ) -> String {
        let what = "Operation \(view.record.id.rawValue) (\(Escape.line(lane.queue)))"
        let rule = engine.ruleNames.name(view.record.rule) ?? "no rule"
        let next =
            view.state.isWaiting
            ? "next \(WallClock.text(engine.now.wall(of: view.record.due)))" : ""
        switch change {
        case .accepted:
            return "\(what) accepted: \(rule); \(next.isEmpty ? "\(view.state.name)" : next)"
        case .attemptFailed:
            return "\(what): attempt \(view.record.attempts) failed: \(rule); "
                + (next.isEmpty ? "\(view.state.name)" : next)
        case .succeeded: return "\(what) succeeded"
        case .gaveUp(let cause): return "\(what) given up: \(cause.name)"
        case .parked(let cause): return "\(what) parked: \(cause.name)"
        case .held: return "\(what) held: \(view.reason.code)"
        case .released: return "\(what) given back by its worker; \(next)"
        case .leaseLost:
            return "\(what) lost its worker; recovered \(view.record.recoveries) times"
        case .cancelled: return "\(what) cancelled"
        case .revived: return "\(what) revived; \(next)"
        case .replaced: return "\(what) replaced; \(next)"
        case .scheduled, .ready, .leased, .removed: return "\(what) \(change.eventName)"
        }
    }

    private func tell(suppressed count: UInt64, about things: StaticString) {
        guard count > 0 else { return }
        thread.write(
            .notice, "\(count) entries about \(things) were not written, to spare the journal",
            fields: [JournalField("RETRYD_SUPPRESSED", count)])
    }

    // MARK: The daemon itself

    func started(sentence: String, socket: String) {
        write(.info, .started, "Serving on \(socket): \(sentence)")
    }

    func stopping() {
        write(.info, .stopping, "Stopping")
    }

    func reloaded(rules: Int) {
        write(.info, .reloaded, "New configuration is in force, with \(rules) rules")
    }

    func configurationRefused(_ error: SettingsError) {
        write(.error, .configurationRefused, "Configuration refused, nothing changed: \(error)")
    }

    func warning(_ text: String) {
        write(.warning, nil, text)
    }

    func note(_ text: String) {
        write(.info, nil, text)
    }

    func storeFailed(_ reason: String, path: String) {
        write(.error, .storeTrouble, "Refusing new work, \(path) cannot be written: \(reason)")
    }

    func storeRecovered(path: String) {
        write(.notice, .storeTrouble, "Taking work again, \(path) can be written")
    }

    func upkeepFailed(_ reason: String) {
        write(.warning, .storeTrouble, "Tidying up the store failed, tried again later: \(reason)")
    }

    func workerDied(_ holder: LeaseHolder, leases: Int) {
        write(
            .notice, .recovered,
            "Worker \(holder.process) of user \(holder.user) ended with \(leases) leases")
    }

    func refusedConnection(of user: UserID, limit: String, at now: Now) {
        writeAboutConnection(
            "Connection of user \(user) refused: the limit `\(limit)` is reached", now)
    }

    func closed(_ peer: PeerCredentials, reason: String, at now: Now) {
        writeAboutConnection(
            "Connection of process \(peer.process), user \(peer.user), closed: "
                + Escape.line(reason), now)
    }

    private func writeAboutConnection(_ message: String, _ now: Now) {
        guard connectionBudget.take(at: now.instant) else { return }
        tell(suppressed: connectionBudget.takeSuppressed(), about: "connections")
        write(.warning, nil, message)
    }

    func signalSet(_ name: SignalName, isOn: Bool, by user: UserID, released: Int) {
        tellWhenStored(
            .released,
            "Signal \(Escape.line(name.text)) \(isOn ? "on" : "off") by user \(user), "
                + "\(released) released")
    }

    func foregroundOfAll(released: Int) {
        tellWhenStored(
            .released, "Foreground of all scopes for 60 s (SIGUSR1), \(released) released")
    }

    private func tellWhenStored(_ id: MessageID, _ message: String) {
        filling.append(
            PendingEntry(priority: .info, message: message, messageID: id, fields: []))
    }

    private func write(_ priority: JournalPriority, _ id: MessageID?, _ message: String) {
        thread.write(priority, message, messageID: id?.rawValue)
    }
}

/// An entry that waits for what it tells to be stored.
private struct PendingEntry {
    var priority: JournalPriority
    var message: String
    var messageID: MessageID?
    var fields: [JournalField]
}

extension Change {
    /// How it is told in the journal; nil: never.
    fileprivate var entry: (priority: JournalPriority, id: MessageID?)? {
        switch self {
        case .accepted: (.notice, .accepted)
        case .attemptFailed: (.debug, .attemptFailed)
        case .succeeded: (.info, .succeeded)
        case .gaveUp: (.warning, .gaveUp)
        case .parked: (.warning, .parked)
        case .held: (.info, .held)
        // The kind `released` is about signals.
        case .released: (.debug, nil)
        case .leaseLost: (.notice, .recovered)
        case .cancelled: (.info, nil)
        case .revived, .replaced: (.info, nil)
        case .scheduled, .ready, .leased: (.debug, nil)
        case .removed: nil
        }
    }
}
