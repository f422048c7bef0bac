import RetryModel
import TOML

/// All rules in force, compiled. A value: a reload makes a new one.
package struct RuleSet: Sendable {
    /// In the order in which they are asked: phase, directory, file name, position.
    package private(set) var rules: [Rule]
    /// Of the texts of all files: which rules a stored decision was made by.
    package private(set) var contentHash: UInt64
    /// Texts for decisions whose rule has none.
    private var decisionTexts: [Disposition: [MessageDefinition]]
    let program: Program

    /// Most rules a set may have: a rule's number is 16 bits in the store.
    package static let rulesMax = 16_384

    /// Compiles rule files.
    ///
    /// - Parameters:
    ///   - files: In any order; see `RuleSource.effective`.
    ///   - keepsTests: Keep the samples beside the rules, for `rules test`.
    package static func compile(
        files: [RuleSource], keepsTests: Bool = false
    ) throws(RuleError) -> RuleSet {
        let sources = RuleSource.effective(files)
        var packs: [Pack] = []
        for source in sources {
            packs.append(
                try PackReader.read(source.bytes, file: source.path, keepsTests: keepsTests))
        }
        var compiler = RuleCompiler(packs)
        try compiler.compile()
        var decisionTexts: [Disposition: [MessageDefinition]] = [:]
        for message in packs.flatMap(\.messages) {
            decisionTexts[message.decision.disposition, default: []].append(message)
        }
        return RuleSet(
            rules: compiler.rules, contentHash: hash(of: sources), decisionTexts: decisionTexts,
            program: compiler.program)
    }

    /// A set without rules: everything is unknown.
    package static var empty: RuleSet {
        do {
            return try compile(files: [])
        } catch {
            fatalError("a rule set without files must compile: \(error)")
        }
    }

    /// What a person is told about a decision: the rule's own texts, else those of its decision.
    ///
    /// - Parameters:
    ///   - rule: The one that decided; nil: none, or it is in force no more.
    ///   - decision: As it was made. Where it is not the rule's own, because of the idempotency
    ///     gate or the rule's limit, the rule's texts do not speak of it.
    ///   - language: `de`, `de-AT` or as in `LANG`: `de_AT.UTF-8`.
    package func messages(
        rule: Rule?, decision: RuleDecision, language: String
    ) -> RuleMessages? {
        if let rule, rule.then.decision.means(decision), let texts = rule.messages(language) {
            return texts
        }
        let candidates = decisionTexts[decision.disposition] ?? []
        let exact = candidates.first { message in message.decision.means(decision) }
        return (exact ?? candidates.first)?.texts.best(for: language)
    }

    /// The first rule of that name.
    package func rule(named name: String) -> Rule? {
        rules.first { rule in rule.name == name }
    }

    /// The rules whose policy is none of the given ones, each at the place that names it. Such a
    /// rule decides, and the operation's or the queue's policy counts in place of its own.
    package func unknownPolicies(known: [String]) -> [RuleError] {
        var errors: [RuleError] = []
        for rule in rules {
            guard let name = rule.then.policy, !known.contains(name) else { continue }
            let place = rule.then.policyPlace ?? RulePlace(file: rule.file, line: rule.line)
            errors.append(
                RuleError(
                    file: place.file, line: place.line, column: place.column,
                    reason:
                        "rule '\(rule.name)' names a policy '\(name)', which is defined nowhere",
                    nearest: NearestName.find(name, in: known)))
        }
        return errors
    }

    /// FNV-1a over names and texts; changes of order count.
    private static func hash(of sources: [RuleSource]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for source in sources {
            for byte in source.name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            for byte in source.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash
    }
}
