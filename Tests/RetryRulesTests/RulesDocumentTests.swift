import RetryRules
import Testing

/// docs/RULES.md says what is true.
@Suite struct RulesDocumentTests {
    private let document = String(
        decoding: bytes(ofFile: treePath("docs/RULES.md")), as: UTF8.self)

    /// The TOML blocks of the page.
    private var examples: [String] {
        var examples: [String] = []
        var open: [Substring]?
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```toml" {
                open = []
            } else if line == "```", let lines = open {
                examples.append(lines.joined(separator: "\n"))
                open = nil
            } else {
                open?.append(line)
            }
        }
        return examples
    }

    @Test func everyExampleCompilesBesideTheShippedRules() throws {
        #expect(examples.count >= 6)
        for example in examples {
            let source = RuleSource(
                path: "/etc/retryd/rules.d/example.toml", tier: 0, bytes: Array(example.utf8))
            let rules = try RuleSet.compile(files: shippedSources + [source], keepsTests: true)
            for result in rules.runTests(now: noon) where result.file == source.path {
                #expect(result.problem == nil, "\(example)")
            }
        }
    }

    @Test func everyPhaseAndDecisionIsThere() {
        for phase in RulePhase.allCases { #expect(document.contains("| `\(phase.name)` |")) }
        for phrase in RuleDecision.phrases { #expect(document.contains("| `\(phrase)` |")) }
    }

    /// What a pack uses must be explained: forms, takes, operators and keys.
    @Test func everyNameThePacksUseIsThere() {
        var names: Set<Substring> = []
        for source in shippedSources {
            let text = String(decoding: source.bytes, as: UTF8.self)
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                let parts = line.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                let key = parts[0].split(separator: " ").last ?? ""
                if key == "form" || key == "take" {
                    names.insert(parts[1].split(separator: "\"").dropFirst().first ?? "")
                }
                if !key.contains("."), !key.contains("\"") { names.insert(key) }
            }
        }
        // Members of failures that samples write as keys of their own.
        names.subtract(["failure", "batch", "recovery_disabled"])
        let missing = names.filter { name in !document.contains("`\(name)`") }
        #expect(missing.isEmpty)
        #expect(names.contains("seconds-or-date"))
    }
}
