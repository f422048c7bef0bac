package import RetryRules

/// All that one reading of the directories gave, to be put in force together.
package struct LoadedConfiguration: Sendable {
    package var configuration: Configuration
    /// Rule files in the order their rules are looked at: by tier, then by name.
    package var ruleFiles: [RuleSource]
    /// Configuration files that were read, in order; later ones override. Empty: defaults only.
    package var files: [String]
    /// What is odd but no reason to refuse, e.g. a user who does not exist, each with its place.
    package var warnings: [String]
}
