/// All that one reading of the directories gave, to be put in force together.
package struct LoadedConfiguration: Sendable {
    package var configuration: Configuration
    /// Rule files in the order their rules are looked at: by tier, then by name.
    package var ruleFiles: [RuleFile]
    /// Configuration files that were read, in order; later ones override. Empty: defaults only.
    package var files: [String]
    /// What is odd but no reason to refuse, e.g. a user who does not exist, each with its place.
    package var warnings: [String]
}

/// A file of rules as it was read.
package struct RuleFile: Equatable, Sendable {
    package var path: String
    /// Position of its directory in the search path: 0 is the highest.
    package var tier: Int
    package var bytes: [UInt8]
}
