import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Writes what happens into the journal, in words and fields (docs/OPERATIONS.md lists them).
///
/// A first failure and giving up are told, repeats only at debug. No header, body or message of a
/// failure is ever written: they may hold secrets.
final class Journalist {
    private let thread: JournalThread
    /// journald itself drops more than 10,000 entries in 30 s (journald.conf(5),
    /// RateLimitBurst=), and then drops blindly.
    private var operationBudget = EntryBudget(burst: 2_000, perSecond: 200)
    /// Anybody can connect and be refused as often as he likes.
    private var connectionBudget = EntryBudget(burst: 100, perSecond: 2)

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
            operationBudget.take(at: engine.now.instant), let view = engine.scheduler.view(id)
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
        let sentence = sentence(change, view, lane, engine)
        guard record.keyHash != 0 else {
            return thread.write(
                priority, sentence, messageID: kind.id?.rawValue, fields: fields)
        }
        // Only the disk has the key itself.
        engine.read(.attributes, of: id) { [thread] result in
            if case .body(let parts) = result.content, !parts.key.isEmpty {
                fields.append(JournalField("RETRYD_KEY", bytes: Array(parts.key)))
            }
            thread.write(priority, sentence, messageID: kind.id?.rawValue, fields: fields)
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

    func storeIsSlow(since: WallTime, path: String) {
        write(
            .error, .storeTrouble,
            "The disk of \(path) does not answer: nothing was stored since "
                + WallClock.text(since))
    }

    func storeAnswers(path: String, seconds: Int64) {
        write(.notice, .storeTrouble, "The disk of \(path) answered after \(seconds) s")
    }

    func logLevel(_ level: JournalPriority, by user: UserID) {
        // Whatever the level is: who looks for missing entries must find it.
        write(level < .notice ? level : .notice, nil, "Log level \(level.name) set by user \(user)")
    }

    func workerDied(_ holder: LeaseHolder, leases: Int) {
        write(
            .notice, .recovered,
            "Worker \(holder.process) of user \(holder.user) ended with \(leases) leases")
    }

    /// A call that somebody may not make, or for which there is no room.
    func refused(_ method: String, of user: UserID, _ reason: String, at now: Now) {
        guard connectionBudget.take(at: now.instant) else { return }
        tell(suppressed: connectionBudget.takeSuppressed(), about: "calls refused")
        thread.write(
            .warning, "\(Escape.line(method)) of user \(user) refused: \(Escape.line(reason))",
            messageID: MessageID.refused.rawValue,
            fields: [JournalField("RETRYD_OWNER_UID", user)])
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
        write(.warning, .refused, message)
    }

    func signalSet(_ name: SignalName, isOn: Bool, by user: UserID, released: Int) {
        write(
            .info, .released,
            "Signal \(Escape.line(name.text)) \(isOn ? "on" : "off") by user \(user), "
                + "\(released) released")
    }

    func clockWasSet(by step: Span, suspended: Span) {
        if suspended >= .seconds(1) {
            note("The host was suspended for \(suspended.usec / 1_000_000) s")
        }
        let usec = step.usec
        guard abs(usec) >= 1_000_000 else { return }
        note(
            "The wall clock was set \(usec < 0 ? "back" : "forward") by "
                + "\(abs(usec) / 1_000_000) s: dates follow it, delays stay as they are")
    }

    func foregroundOfAll(released: Int) {
        write(.info, .released, "Foreground of all scopes for 60 s (SIGUSR1), \(released) released")
    }

    private func write(_ priority: JournalPriority, _ id: MessageID?, _ message: String) {
        thread.write(priority, message, messageID: id?.rawValue)
    }
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
