package import RetryModel

/// What a rule says a failure means, written as a phrase: `retry when-foreground`.
package struct RuleDecision: Hashable, Sendable {
    package var disposition: Disposition
    package var condition: Condition
    package var action: Action
    /// The rule ends the search but knows nothing: the submitter's `unknown` decides.
    package var isUnknown: Bool

    package init(
        _ disposition: Disposition, condition: Condition = .now, action: Action = .none,
        isUnknown: Bool = false
    ) {
        self.disposition = disposition
        self.condition = condition
        self.action = action
        self.isUnknown = isUnknown
    }

    /// Whether both say the same about an operation.
    func means(_ other: RuleDecision) -> Bool {
        disposition == other.disposition && condition == other.condition && action == other.action
    }

    /// Nothing known matched.
    package static let unknown = RuleDecision(
        .permanent, action: .introspectCause, isUnknown: true)

    /// Every phrase there is; `retry custom:NAME` stands for all names.
    package static let phrases = [
        "retry", "retry when-foreground", "retry network", "retry custom:NAME", "new-flow",
        "reauthenticate", "permanent modify-configuration", "permanent invalid-platform",
        "permanent introspect-cause", "unknown",
    ]

    /// Reads a phrase; nil where it is none of `phrases`.
    package init?(phrase: String) {
        let customPrefix = "retry custom:"
        if phrase.hasPrefix(customPrefix), phrase.utf8.count > customPrefix.utf8.count {
            self.init(.retry, condition: .custom(String(phrase.dropFirst(customPrefix.count))))
            return
        }
        switch phrase {
        case "retry", "retry now": self.init(.retry)
        case "retry when-foreground": self.init(.retry, condition: .whenForeground)
        case "retry network": self.init(.retry, condition: .network)
        case "new-flow": self.init(.newFlow)
        case "reauthenticate": self.init(.reauthenticate)
        case "permanent modify-configuration":
            self.init(.permanent, action: .modifyConfiguration)
        case "permanent invalid-platform": self.init(.permanent, action: .invalidPlatform)
        case "permanent introspect-cause": self.init(.permanent, action: .introspectCause)
        case "unknown": self = .unknown
        case _: return nil
        }
    }

    package var phrase: String {
        if isUnknown { return "unknown" }
        switch disposition {
        case .retry:
            switch condition {
            case .now: return "retry"
            case .whenForeground: return "retry when-foreground"
            case .network: return "retry network"
            case .custom(let name): return "retry custom:\(name)"
            }
        case .newFlow: return "new-flow"
        case .reauthenticate: return "reauthenticate"
        case .permanent: return "permanent \(action.name?.description ?? "")"
        }
    }
}
