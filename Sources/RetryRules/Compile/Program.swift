/// A rule set in the form the classifier runs: flat tables that name each other by number.
///
/// A *slot* is a path some rule, fact or hint looks at. Classifying fills slots in one walk over
/// the document, then asks the search tables which rules could match and tries those.
struct Program: Sendable {
    /// The path of every slot, for people.
    var slotNames: [String] = []
    var trie = PathTrie()
    /// Texts of literals, one behind the other.
    var texts: [UInt8] = []
    var literals: [Literal] = []
    var requirements: [Requirement] = []
    /// Those of rules first, in the order of the rules, then those of guards, facts and hints.
    var alternatives: [Alternative] = []
    var ruleAlternativeCount = 0
    /// The alternatives of each pack's own condition.
    var guards: [Span32] = []
    var facts: [FactStep] = []
    var factSources: [UInt16] = []
    var hints: [HintStep] = []
    var hintNames: [String] = []
    /// Hints of one name, in the order in which they are tried.
    var hintGroups: [Span32] = []
    /// For each rule, its hint groups in `hintLists`.
    var ruleHints: [Span32] = []
    var hintLists: [UInt16] = []
    /// One search table for each stage.
    var searches: [SearchTable] = []
    var slots = FixedSlots()

    /// Words of a set of slots.
    var maskWords: Int { (slotNames.count + 63) / 64 }
}

/// Part of a flat table.
struct Span32: Sendable {
    var first: UInt32 = 0
    var count: UInt32 = 0

    var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
}

/// Phases that are asked together, because their evidence is the same set of facts.
enum Stage: Int, CaseIterable {
    /// verdict, body, status.
    case answer = 0
    /// transport, once for each cause.
    case transport = 1
    /// program, generic.
    case remainder = 2

    init(_ phase: RulePhase) {
        switch phase {
        case .verdict, .body, .status: self = .answer
        case .transport: self = .transport
        case .program, .generic: self = .remainder
        }
    }
}

struct Literal: Sendable {
    enum Kind: UInt8, Sendable {
        case integers, text, glob, bool
    }

    var kind: Kind
    /// The lower bound, the offset of a text, or 0 or 1.
    var low: Int64
    /// The upper bound or the length of a text.
    var high: Int64
}

/// What must be true of one fact.
struct Requirement: Sendable {
    enum Test: UInt8, Sendable {
        case exists, any, contains, word, form
    }

    var slot: UInt16
    var test: Test
    var isNegated: Bool
    var form: WaitForm
    var literals: Span32
}

/// Requirements that must all hold, and the guard of the pack.
struct Alternative: Sendable {
    var requirements: Span32
    var guardIndex: Int16
    /// The rule it belongs to; meaningless for guards, facts and hints.
    var rule: UInt16
}

/// Reads one fact from others.
struct FactStep: Sendable {
    var target: UInt16
    var sources: Span32
    var take: FactTake
    /// The slot that names the platform of a number, or -1.
    var platform: Int16
    var platformDefault: Platform
    var when: Span32
    /// Its value depends on the cause looked at.
    var followsCause: Bool
}

struct HintStep: Sendable {
    var nameIndex: UInt16
    var sources: Span32
    var form: WaitForm
    var plusSeconds: Int64
    /// Negative: there is something to read.
    var waitSeconds: Int64
    var when: Span32
}

/// Slots the engine itself looks at, and the sets of slots it needs.
struct FixedSlots: Sendable {
    var receivedAt: UInt16 = 0
    var request: UInt16 = 0
    var idempotent: UInt16 = 0
    var idempotencyKey: UInt16 = 0
    var method: UInt16 = 0
    var bytesSent: UInt16 = 0
    var recoveryDisabled: UInt16 = 0
    var causePlatform: UInt16 = 0
    /// The members of `nserror`, the platform excepted.
    var inCause: [UInt64] = []
    /// Those, and the facts that are read from them.
    var ofCause: [UInt64] = []
    /// Evidence of transport that stands beside the chain of causes: errno, gai, dns, tls, dbus.
    var besideCause: [UInt64] = []
}
