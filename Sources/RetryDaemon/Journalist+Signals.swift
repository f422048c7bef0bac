import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Entries about what holds and releases many operations: signals, clocks, destinations, pauses.
extension Journalist {
    func signalSet(_ name: SignalName, isOn: Bool, by user: UserID, released: Int) {
        tellWhenStored(
            .released,
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

    func timeLineMoved(by span: Span) {
        note(
            "The host was off for \(span.usec / 1_000_000) s longer than its clock told at the "
                + "boot: delays from before it end earlier by that much")
    }

    func foregroundOfAll(released: Int) {
        tellWhenStored(
            .released, "Foreground of all scopes for 60 s (SIGUSR1), \(released) released")
    }

    private func tellWhenStored(_ id: MessageID, _ message: String) {
        filling.append(
            PendingEntry(priority: .info, message: message, messageID: id, fields: []))
    }

    func breakerChanged(_ destination: DestinationName, _ state: BreakerState) {
        let whose = destination.owner.map { " of user \($0)" } ?? ""
        let name = "Destination \(Escape.line(destination.name))\(whose)"
        let fields = [
            JournalField("RETRYD_DESTINATION", destination.name),
            JournalField("RETRYD_BREAKER", "\(state.name)"),
        ]
        switch state {
        case .closed:
            thread.write(
                .notice, "\(name) works again: what waits for it is released by and by",
                messageID: MessageID.breaker.rawValue, fields: fields)
        case .open:
            thread.write(
                .notice, "\(name) failed too often: nothing is tried there for a while",
                messageID: MessageID.breaker.rawValue, fields: fields)
        case .halfOpen:
            thread.write(
                .debug, "\(name) may be probed by one attempt",
                messageID: MessageID.breaker.rawValue, fields: fields)
        }
    }

    func herdReleased(_ report: ReleaseReport) {
        let seconds = Double(report.over.millisecondsUp) / 1_000
        thread.write(
            .info,
            "\(report.count) operations released after \(report.trigger.name) over "
                + "\(seconds) s, \(report.peak) in 100 ms at the most",
            messageID: MessageID.herdReleased.rawValue,
            fields: [
                JournalField("RETRYD_TRIGGER", "\(report.trigger.name)"),
                JournalField("RETRYD_COUNT", report.count),
            ])
    }

    func paused(_ what: String, by user: UserID, reason: String, holds count: Int) {
        write(
            .notice, .paused,
            "\(what) paused by user \(user), \(count) held: \(Escape.line(reason))")
    }

    func resumed(_ what: String, by user: UserID, released count: Int) {
        write(.notice, .paused, "\(what) resumed by user \(user), \(count) released by and by")
    }
}
