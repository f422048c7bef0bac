import JSON
import RetryConfig
import RetryExplain
import RetryModel
import RetryRules
import SystemKit

/// Configuration and rules in force: read together, replaced together.
final class Settings {
    let configuration: Configuration
    /// What is odd but no reason to refuse.
    let warnings: [String]
    private let rules: RuleSet
    private let classifier: Classifier
    /// Judges failures as they are judged when they are handed over.
    let explainer: Explainer

    /// Reads everything, or says what is wrong with it.
    init(_ path: SearchPath) throws(SettingsError) {
        let loaded: LoadedConfiguration
        do {
            loaded = try ConfigurationLoader(searchPath: path).load()
        } catch {
            throw SettingsError(error)
        }
        configuration = loaded.configuration
        do {
            rules = try RuleSet.compile(files: loaded.ruleFiles)
        } catch {
            throw SettingsError(error)
        }
        let unknown = rules.unknownPolicies(known: configuration.policies.map(\.name))
        warnings =
            loaded.warnings
            + unknown.map { "\($0); that of the operation or its queue counts instead" }
        classifier = Classifier(rules)
        explainer = Explainer(
            classifier, policies: configuration.policies,
            recoversAutomatically: configuration.recoversAutomatically)
    }

    /// The least important journal entries that are written.
    var journalLevel: JournalPriority {
        let number = UInt8(configuration.journalLevel.rawValue)
        guard let level = JournalPriority(rawValue: number) else {
            preconditionFailure("both have the levels of syslog(3)")
        }
        return level
    }

    /// Tells which rules were in force when a decision was made.
    var rulesHash: UInt64 { rules.contentHash }

    var ruleCount: Int { rules.rules.count }

    func ruleName(_ rule: Int) -> String { rules.rules[rule].name }

    /// What the rules make of a failure.
    ///
    /// - Parameter isIdempotent: As declared with the operation; the document's own word counts
    ///   before it.
    func classify(
        _ failure: JSONValue, isIdempotent: Bool?, retriesUnknown: Bool, now: Now
    ) -> Verdict {
        classifier.classify(
            failure,
            ClassifierOptions(
                now: now.wall, retriesUnknown: retriesUnknown, isIdempotent: isIdempotent,
                recoversAutomatically: configuration.recoversAutomatically))
    }

    /// What a person is told about a decision; nil: no file has words for it.
    ///
    /// - Parameter ruleNamed: The one that decided; it may be in force no more.
    func messages(
        ruleNamed name: String?, _ decision: RuleDecision, language: String
    ) -> RuleMessages? {
        rules.messages(
            rule: name.flatMap { rules.rule(named: $0) }, decision: decision, language: language)
    }

    /// Writes a failure without its secrets.
    func redact(_ failure: JSONValue, into writer: inout JSONWriter) {
        Redactor.write(failure, to: &writer)
    }
}

/// Why configuration or rules were refused; what was in force stays.
struct SettingsError: Error, CustomStringConvertible {
    var file: String
    var line: Int
    var column: Int
    var reason: String

    init(_ error: ConfigurationError) {
        file = error.file
        line = error.line
        column = error.column
        reason = error.reason
    }

    init(_ error: RuleError) {
        file = error.file
        line = error.line
        column = error.column
        reason = error.sentence
    }

    var description: String {
        line > 0 ? "\(file):\(line):\(column): \(reason)" : "\(file): \(reason)"
    }
}
