import Testing

/// Tests stand where they are looked for: `Tests/TTests/XTests.swift` tests `Sources/T/X.swift`.
@Suite
struct MirrorTests {
    /// Test files that are about more than one file of the target, each with what they are about.
    private static let wider: [String: String] = [
        "RetryConfigTests/ShippedConfiguration": "config/retryd.toml",
        "RetryConfigTests/ReloadDocument": "docs/OPERATIONS.md",
        "RetryRulesTests/CaseFile": "config/rules.d, against Cases/classification.jsonl",
        "RetryRulesTests/Fuzz": "Classifier and Redactor, against bad documents",
        "RetryRulesTests/GraphPack": "config/rules.d/graph.toml and dpop.toml",
        "RetryRulesTests/RulesDocument": "docs/RULES.md",
        "RetryRulesTests/Taxonomy": "config/rules.d, against Cases/taxonomy.jsonl",
        "VarlinkTests/OwnInterface": "Sources/RetryDaemon/io.retryd.varlink",
        "RetryCoreTests/StateTables": "docs/STATES.md",
    ]

    @Test
    func testFilesHaveASource() {
        var problems: [String] = []
        let sources = Dictionary(grouping: Tree.swiftSources, by: \.target)
        for file in Tree.swiftFiles
        where !file.isSource && file.target.hasSuffix("Tests") && file.baseName.hasSuffix("Tests") {
            // Suites about the whole, such as this one, have no target of the same name.
            guard let tested = sources[String(file.target.dropLast(5))] else { continue }
            let name = String(file.baseName.dropLast(5))
            if MirrorTests.wider["\(file.target)/\(name)"] != nil { continue }
            let names = tested.map { MirrorTests.plain($0.baseName) }
            if !names.contains(MirrorTests.plain(name)) {
                problems.append("\(file.path): no \(name).swift in Sources/\(tested[0].target)")
            }
        }
        expectNone(problems)
    }

    @Test
    func suitesAboutMoreAreStillThere() {
        let files = Set(Tree.swiftFiles.map { "\($0.target)/\($0.baseName)" })
        for name in MirrorTests.wider.keys {
            #expect(files.contains(name + "Tests"), "\(name)Tests.swift is gone")
        }
    }

    /// `Type+Concern` and `TypeConcern` are the same.
    private static func plain(_ name: String) -> String {
        String(name.filter { $0 != "+" })
    }
}
