import JSON
import RetryClient
import RetryConfig
import RetryExplain
import RetryModel
import RetryRules
import SystemKit

/// Answers what the daemon would answer, without it: the same engine, rules and policies.
struct OfflineExplainer {
    private let explainer: Explainer
    private let configuration: RulesAtHand
    private let question: FailureQuestion

    init(_ rules: RulesAtHand, _ question: FailureQuestion) throws(CommandFailure) {
        configuration = rules
        self.question = question
        explainer = Explainer(
            Classifier(rules.rules), policies: rules.configuration.policies,
            recoversAutomatically: rules.configuration.recoversAutomatically)
        if let policy = question.policy, !explainer.knowsPolicy(policy) {
            let known = rules.configuration.policies.map(\.name).joined(separator: ", ")
            throw CommandFailure("there is no policy \"\(policy)\"; there are \(known)", .usage)
        }
    }

    private var circumstances: Circumstances {
        var circumstances = Circumstances(
            now: WallTime(usec: question.atUsec ?? Clocks.realtimeUsec()))
        circumstances.attempt = UInt16(clamping: question.attempt ?? 1)
        circumstances.policy = question.policy
        circumstances.retriesUnknown = question.unknown == .retry
        circumstances.isIdempotent = question.isIdempotent
        circumstances.hasCredential = question.credential != nil
        return circumstances
    }

    /// The answer of Classify.
    func classify(_ failure: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.judgementMembers(explainer.judge(failure, circumstances))
        writer.endObject()
        return writer.bytes
    }

    /// The answer of Explain, but for what only the daemon knows.
    func explain(_ failure: JSONValue) -> [UInt8] {
        let explained = explainer.explain(failure, circumstances)
        var writer = JSONWriter()
        writer.beginObject()
        writer.judgementMembers(explained.judgement)
        writer.explanationMembers(explained, explainer.rules)
        if let language = question.language {
            writer.messagesMember(
                explained.judgement.messages(explainer.rules, language: language))
        }
        writer.endObject()
        return writer.bytes
    }
}
