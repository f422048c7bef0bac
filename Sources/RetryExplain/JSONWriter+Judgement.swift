package import JSON
import RetryModel
package import RetryRules

extension JSONWriter {
    /// The members of a judgement; the object around them is the caller's.
    ///
    /// The first eight are what other tools rely on.
    package mutating func judgementMembers(_ judgement: Judgement) {
        let decision = judgement.decision
        name("disposition")
        literal(decision.disposition.name)
        name("condition")
        condition(decision)
        name("action")
        if let action = decision.action.name { literal(action) } else { null() }
        name("retry_after_s")
        if let seconds = judgement.retryAfterSeconds { number(seconds) } else { null() }
        name("rule")
        text(judgement.rule?.name)
        name("file")
        text(judgement.rule?.file)
        name("line")
        if let line = judgement.rule?.line { integer(Int64(line)) } else { null() }
        name("policy")
        string(judgement.policy.name)
        name("outcome")
        switch decision.outcome {
        case .waiting: literal("waiting")
        case .parked: literal("parked")
        case .dead: literal("dead")
        }
        name("cause")
        if let cause = decision.outcome.cause { literal(cause.name) } else { null() }
        name("clamped")
        bool(decision.hintClamped)
        name("note")
        if let note = judgement.note { literal(note) } else { null() }
    }

    /// `messages` where a person is to be told, in the language of the call.
    package mutating func messagesMember(_ messages: RuleMessages?) {
        name("messages")
        guard let messages else { return null() }
        self.messages(messages)
    }

    /// The type `Messages`.
    package mutating func messages(_ messages: RuleMessages) {
        beginObject()
        name("language")
        string(messages.language)
        name("title")
        string(messages.title)
        name("description")
        text(messages.description.isEmpty ? nil : messages.description)
        name("suggestion")
        text(messages.suggestion.isEmpty ? nil : messages.suggestion)
        name("options")
        beginArray()
        for option in messages.options {
            beginObject()
            name("name")
            string(option.name)
            name("label")
            string(option.label)
            name("effect")
            string(option.effect.name)
            endObject()
        }
        endArray()
        endObject()
    }

    private mutating func condition(_ decision: Decision) {
        guard decision.disposition == .retry else { return null() }
        switch decision.condition {
        case .now: literal("now")
        case .whenForeground: literal("when-foreground")
        case .network: literal("network")
        case .custom(let name): string("custom:\(name)")
        }
    }

    mutating func text(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    /// Whole numbers of seconds without a point.
    mutating func number(_ number: Double) {
        if let whole = Int64(exactly: number) { integer(whole) } else { double(number) }
    }
}
