import RetryCore
package import RetryModel

/// When the further attempts would be made if each of them failed alike.
package struct Schedule: Hashable, Sendable {
    /// An attempt to come.
    package struct Step: Hashable, Sendable {
        /// Its number; the failure judged is that of the one before the first step.
        package var attempt: Int
        /// The delays that may be drawn, from the failure before.
        package var delay: ClosedRange<Span>
        /// The earliest and the latest moment.
        package var due: ClosedRange<WallTime>
    }

    /// Why no further attempt follows the last one.
    package enum End: Hashable, Sendable {
        /// `max-attempts` of the policy.
        case attempts
        /// `max-age` of the policy.
        case age
        /// The rule speaks so often only.
        case limit
        /// More follow than are listed.
        case cut
    }

    package private(set) var steps: [Step] = []
    package private(set) var end = End.attempts

    /// A table longer than that tells nobody anything.
    package static let stepsMax = 64

    /// - Parameter judgement: Of a failure that is retried.
    package init(_ judgement: Judgement, _ circumstances: Circumstances) {
        let policy = judgement.policy
        var failed = circumstances.attempt
        var previous = Span.zero
        var moment = circumstances.now...circumstances.now
        while true {
            if let end = Self.end(
                judgement, failed: failed, age: moment.lowerBound - circumstances.now,
                listed: steps.count)
            {
                self.end = end
                return
            }
            var delay = Backoff.range(policy, attempts: failed, previous: previous)
            previous = delay.upperBound
            if steps.isEmpty { delay = Self.delay(delay, judgement) }
            moment =
                (moment.lowerBound + delay.lowerBound)...(moment.upperBound + delay.upperBound)
            failed += 1
            steps.append(Step(attempt: Int(failed), delay: delay, due: moment))
        }
    }

    /// Why nothing follows an attempt that failed; nil: another one does.
    private static func end(
        _ judgement: Judgement, failed: UInt16, age: Span, listed: Int
    ) -> End? {
        let limit = judgement.verdict.repeatMax
        if failed >= judgement.policy.attemptsMax { return .attempts }
        if limit > 0, failed > UInt16(limit) { return .limit }
        if age >= judgement.policy.ageMax { return .age }
        return listed >= stepsMax ? .cut : nil
    }

    /// The first delay respects the wait that was asked for; later failures bring their own.
    private static func delay(
        _ drawn: ClosedRange<Span>, _ judgement: Judgement
    ) -> ClosedRange<Span> {
        guard let wait = judgement.waitLeft, wait > .zero else { return drawn }
        let spread = Span(usec: Swift.max(1_000_000, wait.usec / 10))
        return max(wait, drawn.lowerBound)...(max(wait, drawn.upperBound) + spread)
    }
}

extension Judgement {
    /// What is left of the wait that was asked for, as the policy takes it.
    fileprivate var waitLeft: Span? {
        let left: Span
        switch verdict.hint {
        case .none: return nil
        case .after(let span): left = (verdict.receivedAt ?? now) + span - now
        case .at(let date): left = date - now
        }
        return min(left, policy.hintMax)
    }
}
