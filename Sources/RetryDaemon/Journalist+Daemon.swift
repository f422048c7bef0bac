import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Entries about the daemon itself, its store and those who call it.
extension Journalist {
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
}
