package import JSON
import RetryCore
package import RetryModel
package import RetryRules

/// Says what failures mean and why: one way for the daemon, for `retryctl` without it, and for
/// whoever tries rules.
///
/// Nothing is stored and no chance is involved: of what would be drawn the bounds are told.
package final class Explainer {
    package let rules: RuleSet
    private let classifier: Classifier
    private let policies: [String: Policy]
    private let standard: Policy
    private let recoversAutomatically: Bool

    /// - Parameters:
    ///   - policies: Those in force, `default` first.
    ///   - recoversAutomatically: As configured.
    package init(_ classifier: Classifier, policies: [Policy], recoversAutomatically: Bool) {
        rules = classifier.rules
        self.classifier = classifier
        self.policies = Dictionary(policies.map { ($0.name, $0) }) { first, _ in first }
        standard = policies.first ?? .standard
        self.recoversAutomatically = recoversAutomatically
    }

    /// Whether there is a policy of that name.
    package func knowsPolicy(_ name: String) -> Bool { policies[name] != nil }

    /// What a failure means.
    package func judge(_ failure: JSONValue, _ circumstances: Circumstances) -> Judgement {
        judgement(classifier.classify(failure, options(circumstances)), circumstances)
    }

    /// What a failure means, and how that was found.
    package func explain(
        _ failure: JSONValue, _ circumstances: Circumstances
    ) -> ExplainedFailure {
        let explanation = classifier.explain(failure, options(circumstances))
        let judgement = judgement(explanation.verdict, circumstances)
        let isRetried =
            judgement.decision.disposition == .retry && judgement.decision.outcome == .waiting
        return ExplainedFailure(
            judgement: judgement, explanation: explanation,
            schedule: isRetried ? Schedule(judgement, circumstances) : nil)
    }

    private func options(_ circumstances: Circumstances) -> ClassifierOptions {
        ClassifierOptions(
            now: circumstances.now, retriesUnknown: circumstances.retriesUnknown,
            isIdempotent: circumstances.isIdempotent,
            recoversAutomatically: recoversAutomatically)
    }

    private func judgement(_ verdict: Verdict, _ circumstances: Circumstances) -> Judgement {
        let policy = policy(verdict, circumstances)
        // Any number but 0 will do for a rule: only whether it is the same as before is asked.
        let rule = RuleIndex(truncatingIfNeeded: (verdict.rule ?? -1) + 1)
        var context = DecisionContext()
        context.attempts = circumstances.attempt
        context.previousRule = circumstances.attempt > 1 ? rule : 0
        context.ruleRepeats = UInt8(clamping: Int(circumstances.attempt) - 1)
        context.retriesUnknown = circumstances.retriesUnknown
        context.hasCredential = circumstances.hasCredential
        var random = SplitMix64(seed: 0)
        let decision = Decider.decide(
            verdict, rule: rule, context: context, policy: policy, policyIndex: 0,
            now: Now(instant: Instant(usec: 0), wall: circumstances.now), random: &random)
        return Judgement(
            verdict: verdict, rule: verdict.rule.map { rules.rules[$0] }, decision: decision,
            policy: policy, now: circumstances.now)
    }

    /// As for an operation: its own, else the rule's, else `default`; a name that is not in force
    /// falls through to the next.
    private func policy(_ verdict: Verdict, _ circumstances: Circumstances) -> Policy {
        circumstances.policy.flatMap { policies[$0] } ?? verdict.policy.flatMap { policies[$0] }
            ?? standard
    }
}

/// A failure explained.
package struct ExplainedFailure: Sendable {
    package var judgement: Judgement
    package var explanation: Explanation
    /// The attempts that would follow; nil: none by themselves.
    package var schedule: Schedule?
}
