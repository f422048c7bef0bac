import JSON
import RetryCore
import RetryExplain
import RetryModel
import RetryRules
import RetryStore
import Varlink

/// What people are told about operations. Nothing of it is looked for unless a call asks, by
/// naming a language.
extension Engine {
    /// What a person is told about a decision that was just made.
    func messages(of decision: Decision, language: String) -> RuleMessages? {
        let told = RuleDecision(told: decision.disposition, decision.condition, decision.action)
        return settings.messages(
            ruleNamed: ruleNames.name(decision.rule),
            told.told(as: decision.outcome.cause ?? .none), language: language)
    }

    /// What a person is told about an operation.
    ///
    /// - Parameters:
    ///   - decision: The newest one on it, as it is stored; - cause: why it is where it is.
    func messages(
        of decision: some Sequence<UInt8>, _ cause: Cause, language: String
    ) -> RuleMessages? {
        guard let value = try? parser.parse(Array(decision)),
            let stored = StoredDecision(value)
        else { return nil }
        return settings.messages(
            ruleNamed: stored.rule, stored.decision.told(as: cause), language: language)
    }

    /// Writes `messages` where the call asked for them.
    func writeMessages(
        _ decision: Decision?, language: String?, into writer: inout JSONWriter
    ) {
        guard let language else { return }
        writer.messagesMember(decision.flatMap { messages(of: $0, language: language) })
    }
}

/// Of a decision as it is stored, what its texts depend on.
struct StoredDecision {
    var rule: String?
    var decision: RuleDecision

    init?(_ value: JSONValue) {
        guard var phrase = value["disposition"]?.string else { return nil }
        if let condition = value["condition"]?.string, condition != "now" {
            phrase += " \(condition)"
        }
        if let action = value["action"]?.string { phrase += " \(action)" }
        guard let decision = RuleDecision(phrase: phrase) else { return nil }
        rule = value["rule"]?.string
        self.decision = decision
    }
}

/// Of an operation what the store has, copied: what was handed over, and the newest decision and
/// failure.
struct StoredOperation {
    var parts: [[UInt8]]
    var payloadForm: PayloadForm
    var decision: [UInt8]
    var failure: [UInt8]

    /// Of the body, as `BodyParts` has it.
    func withBody(_ body: (BodyParts) -> Void) {
        parts[0].withUnsafeBytes { key in
            parts[1].withUnsafeBytes { eventID in
                parts[2].withUnsafeBytes { attributes in
                    parts[3].withUnsafeBytes { payload in
                        parts[4].withUnsafeBytes { failure in
                            parts[5].withUnsafeBytes { decision in
                                body(
                                    BodyParts(
                                        payloadForm: payloadForm, key: key, eventID: eventID,
                                        attributes: attributes, payload: payload,
                                        failure: failure, decision: decision))
                            }
                        }
                    }
                }
            }
        }
    }

    init(_ body: BodyParts) {
        parts = [
            Array(body.key), Array(body.eventID), Array(body.attributes), Array(body.payload),
            Array(body.failure), Array(body.decision),
        ]
        payloadForm = body.payloadForm
        decision = parts[5]
        failure = parts[4]
    }

    /// Takes the newest decision there is from the attempts after the first.
    mutating func take(_ attempts: [(number: UInt32, parts: AttemptParts)]) {
        guard let last = attempts.last(where: { !$0.parts.decision.isEmpty }) else { return }
        decision = Array(last.parts.decision)
        failure = Array(last.parts.failure)
    }
}

extension Engine {
    /// Reads what the store has of an operation, behind what is being stored.
    ///
    /// - Parameter body: Given why it could not be read, where that is so.
    func readOperation(
        _ id: OperationID, _ body: @escaping (Result<StoredOperation, ReadFault>) -> Void
    ) {
        let reply = OperationsReply(nil, JSONWriter())
        var stored: StoredOperation?
        read(.body, of: id) { result in stored = StoredOperation(reply.body(result)) }
        read(.attempts, of: id) { result in
            stored?.take(reply.attempts(result))
            if let failure = reply.failure { return body(.failure(ReadFault(reason: failure))) }
            guard let stored else { preconditionFailure("the body is read before the attempts") }
            body(.success(stored))
        }
    }
}

/// Why something could not be read from the store.
struct ReadFault: Error {
    var reason: String
}
