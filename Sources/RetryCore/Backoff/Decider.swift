package import RetryModel

/// What a decision looks at besides the verdict.
package struct DecisionContext: Hashable, Sendable {
    /// Failed attempts, this one included.
    package var attempts: UInt16 = 1
    /// Since the first failure, on the time line.
    package var age: Span
    package var deadline: WallTime?
    /// The rule of the last decision, and how often it spoke in a row.
    package var previousRule: RuleIndex = 0
    package var ruleRepeats: UInt8 = 0
    package var previousDelay = Span.zero
    /// Unknown failures are retried.
    package var retriesUnknown = false
    package var hasCredential = false
    /// The foreground was there when the attempt began.
    package var hadForeground = false
    /// Failures in a row for want of the foreground while it was there, before this one.
    package var foregroundRepeats: UInt8 = 0

    package init(age: Span = .zero) {
        self.age = age
    }
}

/// The decision function: what a verdict means for one operation at one moment.
///
/// The same one is called by the daemon, by `explain` and by the simulator.
package enum Decider {
    /// Failures for want of the foreground, with the foreground there, after which an operation
    /// is parked: it would fail like that for ever (spec section 5).
    package static let foregroundRepeatsMax: UInt8 = 3

    /// - Parameters:
    ///   - rule: The verdict's rule as the store numbers it; 0 when none matched.
    ///   - policyIndex: The number of `policy`, kept in the decision.
    package static func decide(
        _ verdict: Verdict, rule: RuleIndex, context: DecisionContext, policy: Policy,
        policyIndex: PolicyIndex, now: Now, random: inout SplitMix64
    ) -> Decision {
        let meaning = meaning(of: verdict, rule: rule, context: context)
        let hint = hint(of: verdict, now: now)
        var decision = Decision(
            disposition: meaning.disposition, condition: .now, action: meaning.action,
            hint: hint?.told, hintClamped: false, rule: rule, policy: policyIndex,
            outcome: .waiting, due: nil, dueWall: nil, delay: .zero)
        switch meaning.disposition {
        case .permanent:
            decision.outcome = .dead(.permanent)
        case .newFlow:
            decision.outcome = .parked(.newFlow)
        case .reauthenticate:
            // Held for its credential, and tried as soon as that is renewed.
            decision.outcome = context.hasCredential ? .waiting : .parked(.reauthenticate)
            decision.due = context.hasCredential ? now.instant : nil
        case .retry:
            decision.condition = verdict.condition
            schedule(
                &decision, hint: hint, context: context, policy: policy, now: now,
                random: &random)
        }
        return decision
    }

    private static func meaning(
        of verdict: Verdict, rule: RuleIndex, context: DecisionContext
    ) -> (disposition: Disposition, action: Action) {
        // What no rule knows; a document that can't be judged, or an attempt that may have taken
        // effect, is another matter.
        if verdict.rule == nil, verdict.note == .none, context.retriesUnknown {
            return (.retry, .none)
        }
        if verdict.repeatMax > 0, rule != 0, rule == context.previousRule,
            context.ruleRepeats >= verdict.repeatMax
        {
            return (verdict.repeatFallback.disposition, verdict.repeatFallback.action)
        }
        return (verdict.disposition, verdict.action)
    }

    private struct Hint {
        /// The wait as the server told it.
        var told: Span
        /// What is left of it; negative when it has passed.
        var left: Span
        var date: WallTime?
    }

    private static func hint(of verdict: Verdict, now: Now) -> Hint? {
        let receivedAt = verdict.receivedAt ?? now.wall
        switch verdict.hint {
        case .none:
            return nil
        case .after(let span):
            // Told late, less of it is left; a date of receipt in the future adds nothing.
            let elapsed = max(now.wall - receivedAt, .zero)
            return Hint(told: span, left: Span(usec: span.usec - min(elapsed.usec, span.usec)))
        case .at(let date):
            return Hint(told: max(date - receivedAt, .zero), left: date - now.wall, date: date)
        }
    }

    private static func schedule(
        _ decision: inout Decision, hint: Hint?, context: DecisionContext, policy: Policy,
        now: Now, random: inout SplitMix64
    ) {
        if let cause = exhausted(context, policy) {
            decision.outcome = .dead(cause)
            return
        }
        if decision.condition == .whenForeground, context.hadForeground,
            context.foregroundRepeats >= foregroundRepeatsMax - 1
        {
            decision.outcome = .parked(.foregroundLoop)
            return
        }
        var delay = Backoff.delay(
            policy, attempts: context.attempts, previous: context.previousDelay, random: &random)
        if let hint {
            var span = hint.left
            if span > policy.hintMax {
                if policy.hintOverMax == .dead {
                    decision.outcome = .dead(.hintBeyondCap)
                    return
                }
                span = policy.hintMax
                decision.hintClamped = true
            }
            if span.usec > 0 {
                let isFloor = span > delay
                delay = max(span, delay) + Backoff.spread(span, random: &random)
                // Only a date follows the wall clock, and only where it decides.
                if isFloor, !decision.hintClamped, hint.date != nil {
                    decision.dueWall = now.wall + delay
                }
            }
        }
        let due = now.wall + delay
        if let deadline = context.deadline, due > deadline {
            decision.outcome = .dead(.deadline)
            return
        }
        decision.delay = delay
        decision.due = now.instant + delay
    }

    private static func exhausted(
        _ context: DecisionContext, _ policy: Policy
    ) -> Cause? {
        if context.attempts >= policy.attemptsMax { return .attemptsExhausted }
        if context.age >= policy.ageMax { return .tooOld }
        return nil
    }
}
