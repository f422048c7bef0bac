package import RetryClient

/// Decisions as sentences: what was understood, and what happens when.
package enum DecisionText {
    /// What the failure was taken for: "a temporary failure (rule http-unavailable)".
    package static func meaning(_ decision: ToldDecision) -> String {
        let kind =
            switch decision.disposition {
            case "retry": "a failure that may pass"
            case "new-flow": "a failure that needs the whole flow anew"
            case "reauthenticate": "a failure that needs a new sign-in"
            case "permanent": "a permanent failure"
            default: decision.disposition
            }
        guard let rule = decision.rule else { return "\(kind) (no rule knows it)" }
        return "\(kind) (rule \(rule))"
    }

    /// What happens next: "tried again in 2s (Mon …)".
    package static func next(_ decision: ToldDecision, nowUsec: Int64) -> String {
        switch decision.outcome {
        case "waiting": waiting(decision, nowUsec: nowUsec)
        case "parked": "parked (\(decision.cause ?? "no cause told")): \(need(decision))"
        case "dead": "given up (\(decision.cause ?? "no cause told")): \(need(decision))"
        default: decision.outcome
        }
    }

    private static func waiting(_ decision: ToldDecision, nowUsec: Int64) -> String {
        let moment = decision.dueUsec.map { TimeText.full($0, nowUsec: nowUsec) } ?? "soon"
        var text =
            switch decision.condition {
            case nil, "now": "tried again \(moment)"
            case "when-foreground":
                "waits for its user to be at the screen, at the earliest \(moment)"
            case "network": "waits for the network, at the earliest \(moment)"
            case .some(let signal): "waits for the signal \(signal), at the earliest \(moment)"
            }
        if decision.disposition == "reauthenticate" {
            text = "waits for the sign-in to be renewed"
        }
        if let seconds = decision.retryAfterS {
            let asked = TimeText.span(seconds: seconds)
            text +=
                decision.isClamped
                ? "; the server asked for \(asked), which is more than the policy takes"
                : "; the server asked for \(asked)"
        }
        return text
    }

    /// What a person can do.
    private static func need(_ decision: ToldDecision) -> String {
        switch (decision.action, decision.cause) {
        case ("modify-configuration", _): "correct the configuration, then \"retryctl retry\" it"
        case ("invalid-platform", _): "it can't work on this platform"
        case ("introspect-cause", _): "look into the cause, then \"retryctl retry\" it"
        case (_, "new-flow"): "its owner must start the flow anew"
        case (_, "reauthenticate"): "sign in again, then \"retryctl retry\" it"
        case (_, _): "\"retryctl retry\" tries it again"
        }
    }

    /// On one line for tables: "retry now, http-unavailable".
    package static func short(_ decision: ToldDecision) -> String {
        var text = decision.disposition
        if let condition = decision.condition { text += " \(condition)" }
        if let action = decision.action { text += " \(action)" }
        return text + ", \(decision.rule ?? "no rule")"
    }
}
