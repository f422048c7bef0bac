package import RetryClient
package import RetryConfig
package import RetryRules
import SystemKit

/// Configuration and rules read by this program itself, as the daemon would read them.
package struct RulesAtHand {
    package var configuration: Configuration
    package var rules: RuleSet
    /// Configuration files that were read.
    package var files: [String]
    package var ruleFileCount: Int
    /// What is odd but no reason to refuse.
    package var warnings: [String]

    /// The options that say where to read.
    package static let options: [OptionDefinition] = [
        .value("rules", "DIR", "the rule files of this directory and no others"),
        .value("config", "DIR", "the retryd.toml and rules.d of this directory"),
    ]

    /// Whether no daemon is to be asked.
    package static func isWanted(_ arguments: ParsedArguments) -> Bool {
        ["offline", "rules", "config"].contains(where: arguments.has)
    }

    /// Asks the daemon what could be found out without it as well.
    package static func ask<Answer>(
        _ invocation: Invocation, _ call: (RetryClient) throws -> Answer
    ) throws(CommandFailure) -> Answer {
        do throws(CommandFailure) {
            return try invocation.ask(call)
        } catch {
            guard error.code == .unavailable else { throw error }
            throw CommandFailure("\(error.message); --offline needs no retryd", error.code)
        }
    }

    /// - Parameter keepsTests: The samples beside the rules are wanted.
    package init(_ arguments: ParsedArguments, keepsTests: Bool = false) throws(CommandFailure) {
        do throws(ConfigurationError) {
            let path = try RulesAtHand.searchPath(arguments)
            let loaded = try ConfigurationLoader(searchPath: path).load()
            configuration = loaded.configuration
            files = loaded.files
            warnings = loaded.warnings
            var sources = loaded.ruleFiles
            if let directory = arguments.value("rules") {
                sources = try ConfigurationLoader.ruleFiles(in: directory)
            }
            ruleFileCount = sources.count
            rules = try RulesAtHand.compile(sources, keepsTests: keepsTests)
        } catch {
            throw CommandFailure("\(error)", .badInput)
        }
    }

    /// As the daemon that is meant: the host's, one's own, or a private one.
    private static func searchPath(_ arguments: ParsedArguments) throws(ConfigurationError)
        -> SearchPath
    {
        let shipped = SearchPath.shippedDirectory
        if let directory = arguments.value("config") { return .only(directory, shipped: shipped) }
        if arguments.has("user"), let home = configurationHome {
            return .user(configurationHome: home, shipped: shipped)
        }
        return .system(shipped: shipped)
    }

    /// `$XDG_CONFIG_HOME` (XDG Base Directory Specification), by default `~/.config`.
    private static var configurationHome: String? {
        if let path = Environment.value("XDG_CONFIG_HOME"), path.hasPrefix("/") { return path }
        return Environment.value("HOME").map { $0 + "/.config" }
    }

    private static func compile(
        _ sources: [RuleSource], keepsTests: Bool
    ) throws(ConfigurationError) -> RuleSet {
        do throws(RuleError) {
            return try RuleSet.compile(files: sources, keepsTests: keepsTests)
        } catch {
            throw ConfigurationError(
                file: error.file, line: error.line, column: error.column, reason: error.sentence)
        }
    }
}
