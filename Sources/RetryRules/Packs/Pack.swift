import TOML

/// A rule file as it was read, before it is compiled with the others.
struct Pack {
    var file: String
    /// Any one of them must hold for a rule of the pack to match; empty: no such condition.
    var guards: [WhenDefinition] = []
    var defaults = PackDefaults()
    var members: [RulePath] = []
    var facts: [FactDefinition] = []
    var hints: [HintDefinition] = []
    var messages: [MessageDefinition] = []
    var rules: [RuleDefinition] = []
    var overrides: [OverrideDefinition] = []

    init(file: String) {
        self.file = file
    }
}

/// What rules of a pack have when they do not say otherwise.
struct PackDefaults {
    var phase: RulePhase?
    var hints: [String] = []
    var hintPosition = TOMLPosition(line: 1, column: 1)
    var applied = RuleConsequence.Applied.maybe
    var policy: String?
    var policyPlace: RulePlace?
}

/// Conditions that must all hold.
struct WhenDefinition {
    var conditions: [ConditionDefinition] = []
}

struct ConditionDefinition {
    var path: RulePath
    var position: TOMLPosition
    var test: TestDefinition
    var isNegated = false
}

enum TestDefinition {
    case exists
    case any([LiteralDefinition])
    /// One of the texts occurs, ASCII case ignored.
    case contains([String])
    /// Equal to one of the words when only ASCII letters and digits count, case ignored.
    case word([String])
    /// Can be read as a wait in that form.
    case form(WaitForm)
}

enum LiteralDefinition: Hashable {
    case integers(ClosedRange<Int64>)
    case text(String)
    case glob(String)
    case bool(Bool)
}

/// A name for what may stand in several places of a document.
struct FactDefinition {
    var name: RulePath
    var position: TOMLPosition
    var file: String
    var from: [RulePath]
    var take: FactTake
    var platform: RulePath?
    var platformDefault: Platform
    /// Any one of them must hold; empty: always.
    var when: [WhenDefinition]
}

/// Where a wait may be found.
struct HintDefinition {
    var name: String
    var position: TOMLPosition
    var file: String
    var from: [RulePath]
    var form: WaitForm
    var plusSeconds: Int64
    /// A wait that needs no evidence, in place of `from`.
    var waitSeconds: Int64?
    var when: [WhenDefinition]
}

/// Texts for every rule with that decision which has none of its own.
struct MessageDefinition {
    var decision: RuleDecision
    var texts: [RuleMessages]
}

struct RuleDefinition {
    var rule: Rule
    var position: TOMLPosition
    var hintPosition: TOMLPosition
    var when: [WhenDefinition]
}

/// A new consequence for a rule that stands elsewhere.
struct OverrideDefinition {
    var name: String
    var position: TOMLPosition
    var file: String
    var then: TOMLValue
}
