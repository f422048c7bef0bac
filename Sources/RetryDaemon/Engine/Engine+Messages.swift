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

/// Of an operation what the store has, copied: what was handed over, and the newest decision.
struct StoredOperation {
    private let key: [UInt8]
    private let eventID: [UInt8]
    private let attributes: [UInt8]
    private let toldFailure: [UInt8]
    private let toldDecision: [UInt8]
    private(set) var decision: [UInt8]

    init(_ body: BodyParts) {
        key = Array(body.key)
        eventID = Array(body.eventID)
        attributes = Array(body.attributes)
        toldFailure = Array(body.failure)
        toldDecision = Array(body.decision)
        decision = toldDecision
    }

    /// Takes the newest decision there is from the attempts after the first.
    mutating func take(_ attempts: [(number: UInt32, parts: AttemptParts)]) {
        guard let last = attempts.last(where: { !$0.parts.decision.isEmpty }) else { return }
        decision = Array(last.parts.decision)
    }

    /// What was handed over, with another payload.
    func withBody(_ payload: NewPayload, _ body: (BodyParts) -> Void) {
        var parts = BodyParts(payloadForm: payload.form)
        key.withUnsafeBytes { key in
            eventID.withUnsafeBytes { eventID in
                attributes.withUnsafeBytes { attributes in
                    parts.key = key
                    parts.eventID = eventID
                    parts.attributes = attributes
                    payload.bytes.withUnsafeBytes { payload in
                        toldFailure.withUnsafeBytes { failure in
                            toldDecision.withUnsafeBytes { decision in
                                parts.payload = payload
                                parts.failure = failure
                                parts.decision = decision
                                body(parts)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A payload in place of the one there was.
struct NewPayload {
    var form: PayloadForm
    var bytes: [UInt8]
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
