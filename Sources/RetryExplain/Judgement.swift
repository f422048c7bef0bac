package import RetryModel
package import RetryRules

/// What a failure means under some circumstances, and by what rule and policy.
package struct Judgement: Sendable {
    package var verdict: Verdict
    /// The rule that decided; nil: none knows the failure.
    package var rule: Rule?
    package var decision: Decision
    package var policy: Policy
    /// When it was judged.
    package var now: WallTime

    /// The wait that was asked for, in seconds from the receipt of the failure, cut to the longest
    /// the policy takes; nil: none.
    package var retryAfterSeconds: Double? {
        guard decision.disposition == .retry, let told = verdict.hintSeconds(now: now) else {
            return nil
        }
        let longest = Double(policy.hintMax.usec) / 1e6
        return max(policy.hintOverMax == .clamp ? min(told, longest) : told, 0)
    }

    /// Why the decision is not simply what the rule says; nil: it is.
    package var note: StaticString? {
        switch verdict.note {
        case .outcomeUnknown: return "outcome-unknown"
        case .unknownRetried: return "unknown-retried"
        case .notAnObject: return "not-an-object"
        case .tooDeep: return "too-deep"
        case .none: break
        }
        let isLimited = decision.disposition != verdict.disposition
        return isLimited && verdict.repeatMax > 0 ? "limit-spent" : nil
    }

    /// What a person is told, in a language or the nearest there is.
    ///
    /// - Parameter rules: The set that judged.
    package func messages(_ rules: RuleSet, language: String) -> RuleMessages? {
        rules.messages(
            rule: rule,
            decision: RuleDecision(told: decision.disposition, decision.condition, decision.action)
                .told(as: decision.outcome.cause ?? .none),
            language: language)
    }
}

extension Decision.Outcome {
    /// Why parked or dead.
    package var cause: Cause? {
        switch self {
        case .waiting: nil
        case .parked(let cause), .dead(let cause): cause
        }
    }
}
