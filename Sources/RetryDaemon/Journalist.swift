import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Writes what happens into the journal, in words and fields (docs/OPERATIONS.md lists them).
///
/// A first failure and giving up are told, repeats only at debug. No header, body or message of a
/// failure is ever written: they may hold secrets.
final class Journalist {
    let thread: JournalThread
    /// What is to be told when the batch that fills is stored, and when the one under way is.
    var filling: [PendingEntry] = []
    private var submitted: [PendingEntry] = []
    /// journald itself drops more than 10,000 entries in 30 s (journald.conf(5),
    /// RateLimitBurst=), and then drops blindly.
    private var operationBudget = EntryBudget(burst: 2_000, perSecond: 200)
    /// Anybody can connect and be refused as often as he likes.
    var connectionBudget = EntryBudget(burst: 100, perSecond: 2)

    /// Failures told at debug only.
    private(set) var repeats = FailureSummary()

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
        if change == .attemptFailed { countRepeat(id, engine) }
        // The budget before the view: under load most entries are not written.
        guard let kind = change.entry, thread.takes(kind.priority),
            operationBudget.take(at: engine.now.instant),
            let view = engine.scheduler.view(id, now: engine.now)
        else { return }
        let priority = isToldOnce(change, view.reason) ? .debug : kind.priority
        guard thread.takes(priority) else { return }
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
        let entry = PendingEntry(
            priority: priority, message: sentence(change, view, lane, engine),
            messageID: kind.id, fields: fields)
        guard record.keyHash != 0 else { return filling.append(entry) }
        // Only the disk has the key itself; it is read behind the batch.
        engine.read(.attributes, of: id) { [self] result in
            var entry = entry
            switch result.content {
            case .body(let parts):
                if !parts.key.isEmpty {
                    entry.fields.append(JournalField("RETRYD_KEY", bytes: Array(parts.key)))
                }
            case .missing, .failed, .failure, .attempts: break
            }
            write(entry)
        }
    }

    // MARK: Repeats

    private func countRepeat(_ id: OperationID, _ engine: Engine) {
        guard let (_, lane) = engine.scheduler.peekRecord(of: id) else { return }
        repeats.count(lane.destination, at: engine.now.instant)
    }

    /// Tells what was told at debug only, if it is time or the daemon ends.
    func summarize(at now: Instant, isEnd: Bool = false) {
        guard let since = repeats.since, let due = repeats.due, isEnd || due <= now else { return }
        let minutes = max(1, (now - since).usec / 60_000_000)
        let time = minutes == 1 ? "a minute" : "\(minutes) minutes"
        for line in repeats.take() {
            let failures = line.failures == 1 ? "1 retry" : "\(line.failures) retries"
            let place = line.destination.map { "of destination \(Escape.line($0))" }
                ?? "without a destination"
            var fields = [JournalField("RETRYD_FAILURES", line.failures)]
            if let destination = line.destination {
                fields.append(JournalField("RETRYD_DESTINATION", destination))
            }
            thread.write(
                .notice, "\(failures) \(place) failed within \(time)",
                messageID: MessageID.summary.rawValue, fields: fields)
        }
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

    /// That a sign-in was refused has a notice of its own; those that wait for it are many.
    private func isToldOnce(_ change: Change, _ reason: Reason) -> Bool {
        guard change == .held, case .credentialHeld = reason else { return false }
        return true
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
        case .resolved: return "\(what) resolved by its owner; \(next)"
        case .recovered(let recovery): return "\(what) \(recovery.name) by choice"
        case .scheduled, .ready, .leased, .removed: return "\(what) \(change.eventName)"
        }
    }

    /// - Parameters:
    ///   - rule: That took the failure for a refusal.
    ///   - held: How many operations wait for the renewal.
    func credentialRefused(
        _ lane: Lane, by record: OperationRecord, _ rule: String?, held: Int
    ) {
        guard let credential = lane.credential else { return }
        let count = held == 1 ? "1 operation waits" : "\(held) operations wait"
        var fields = [
            JournalField("RETRYD_CREDENTIAL", credential),
            JournalField("RETRYD_OWNER_UID", lane.owner),
            JournalField("RETRYD_OPERATION", record.id.rawValue),
            JournalField("RETRYD_QUEUE", lane.queue),
        ]
        if let rule { fields.append(JournalField("RETRYD_RULE", rule)) }
        thread.write(
            .notice,
            "Sign-in \(Escape.line(credential)) of user \(lane.owner) was refused: \(count) for "
                + "its renewal",
            messageID: MessageID.credentialHeld.rawValue, fields: fields)
    }

    func tell(suppressed count: UInt64, about things: StaticString) {
        guard count > 0 else { return }
        thread.write(
            .notice, "\(count) entries about \(things) were not written, to spare the journal",
            fields: [JournalField("RETRYD_SUPPRESSED", count)])
    }

    func write(_ priority: JournalPriority, _ id: MessageID?, _ message: String) {
        thread.write(priority, message, messageID: id?.rawValue)
    }
}

/// An entry that waits for what it tells to be stored.
struct PendingEntry {
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
        case .revived, .replaced, .resolved, .recovered: (.info, nil)
        case .scheduled, .ready, .leased: (.debug, nil)
        case .removed: nil
        }
    }
}
