import RetryModel
package import TOML

/// A compiled rule, as people see it.
package struct Rule: Sendable {
    package var name: String
    package var phase: RulePhase
    package var file: String
    package var line: Int
    /// Why the rule says what it says; empty: its name says it all.
    package var description: String
    /// Where the fact behind it is written; empty: it is our own.
    package var source: String
    package var then: RuleConsequence
    package var texts: [RuleMessages]
    /// Samples, kept only when asked for.
    package var tests: [RuleTest]

    /// The texts for people in a language, or the nearest there is.
    ///
    /// - Parameter language: `de`, `de-AT` or as in `LANG`: `de_AT.UTF-8`.
    package func messages(_ language: String) -> RuleMessages? {
        texts.best(for: language)
    }
}

/// What follows when a rule matches.
package struct RuleConsequence: Hashable, Sendable {
    package var decision: RuleDecision
    /// The policy it asks for; nil leaves the operation's own choice.
    package var policy: String?
    /// Where that policy is named; nil: nowhere.
    package var policyPlace: RulePlace?
    /// Names of the hints to look for, in that order.
    package var hints: [String]
    package var hintPick: HintPick
    package var applied: Applied
    /// At most that many consecutive decisions, then `afterLimit`. 0: no limit.
    package var limit: UInt8
    package var afterLimit: RuleDecision

    /// Which of the waits found counts.
    package enum HintPick: UInt8, Sendable {
        /// The first usable one.
        case first = 0
        /// The longest of all usable ones.
        case largest = 1
    }

    /// Whether the failed attempt may have taken effect, which is what the idempotency gate asks.
    package enum Applied: UInt8, Sendable, CaseIterable {
        /// Certainly not: it may be repeated whatever it was.
        case no = 0
        /// Perhaps: a request that is described must be provably repeatable.
        case maybe = 1
        /// Nobody can tell: it must be provably repeatable in every case.
        case unknown = 2

        package var name: String {
            switch self {
            case .no: "no"
            case .maybe: "maybe"
            case .unknown: "unknown"
            }
        }
    }

    package init(decision: RuleDecision) {
        self.decision = decision
        hints = []
        hintPick = .first
        applied = .maybe
        limit = 0
        afterLimit = RuleDecision(.permanent, action: .introspectCause)
    }
}

/// A sample beside a rule: a failure and what it must be taken for.
package struct RuleTest: Hashable, Sendable {
    package var failure: TOMLValue
    package var line: Int
    package var expected: RuleDecision
    /// The rule that must decide.
    package var rule: String
    /// The wait in seconds that must be found; nil: not looked at.
    package var waitSeconds: Double?
    package var retriesUnknown: Bool
}
