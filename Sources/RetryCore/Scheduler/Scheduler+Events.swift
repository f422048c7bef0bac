import RetryModel

/// Which failures were told, by their event_id: for the life of their operation and 24 h more.
extension Scheduler {
    /// The first teller of an event is remembered; later ones change nothing.
    mutating func remember(
        event hash: UInt64, of id: OperationID, into effects: inout Effects
    ) {
        guard hash != 0, events.operation(of: hash) == nil else { return }
        events.insert(hash, id)
        effects.add(.saveEvent(hash: hash, id, until: nil))
    }

    /// An operation is removed: its events are remembered for a while yet, counted from its end.
    ///
    /// - Parameter end: When it ended; a dead one ends by being removed.
    mutating func eventsLeft(
        by id: OperationID, endedAt end: Instant, now: Now, into effects: inout Effects
    ) {
        var until = min(end, now.instant) + limits.eventKept
        if until > now.instant { until = wholeMinute(until) }
        while let hash = events.markNextGone(id, until: until) {
            // Those whose time is up are forgotten below.
            if until > now.instant { effects.add(.saveEvent(hash: hash, id, until: until)) }
        }
        forgetEvents(now: now, into: &effects)
    }

    /// Forgets what is remembered long enough, a bounded number at a time.
    mutating func forgetEvents(now: Now, into effects: inout Effects) {
        for _ in 0..<Limits.duePerTurnMax {
            guard let next = events.nextExpiry,
                next <= now.instant || events.goneCount > Limits.eventsGoneKeptMax
            else { return }
            effects.add(.removeEvent(hash: events.forgetNext()))
        }
    }

    /// Rounded up, so that forgetting wakes the daemon once a minute at the most.
    private func wholeMinute(_ moment: Instant) -> Instant {
        let minute = Span.minutes(1)
        let over = moment.usec % minute.usec
        return over == 0 ? moment : moment + Span(usec: minute.usec - over)
    }
}
