import Testing

/// Who may import whom (docs/ARCHITECTURE.md). Arrows point down only.
@Suite
struct ImportTests {
    /// What each target imports besides the standard library. Modules of the toolchain are listed
    /// as well: a target without Glibc has no clock, no file and no thread.
    private static let allowed: [String: Set<String>] = [
        "RetryModel": [],
        "JSON": ["CSimdJSON"],
        "TOML": ["CTOML"],
        "Varlink": ["JSON"],
        "RetryRules": ["RetryModel", "JSON", "TOML"],
        "RetryCore": ["RetryModel"],
        "RetryExplain": ["RetryModel", "JSON", "RetryRules", "RetryCore"],
        "SystemKit": ["CSystemd", "CLinux", "Glibc", "Synchronization"],
        "RetryStore": ["RetryModel", "SystemKit", "CSQLite", "Synchronization"],
        "RetryConfig": ["RetryModel", "RetryRules", "RetryCore", "TOML", "SystemKit"],
        "RetryDaemon": [
            "RetryModel", "JSON", "Varlink", "RetryRules", "RetryCore", "RetryExplain",
            "SystemKit", "RetryStore", "RetryConfig",
        ],
        "RetryClient": ["RetryModel", "JSON", "Varlink", "SystemKit"],
        "RetryExec": ["RetryModel", "JSON", "RetryClient", "SystemKit"],
        "RetryCLI": [
            "RetryModel", "JSON", "TOML", "Varlink", "RetryRules", "RetryCore", "RetryExplain",
            "RetryConfig", "RetryClient", "SystemKit",
        ],
        "retryd": ["RetryDaemon", "SystemKit"],
        "retryctl": ["RetryCLI", "SystemKit"],
        "retryd-exec": ["RetryExec", "SystemKit"],
        "RetryBench": [
            "RetryModel", "JSON", "RetryRules", "RetryCore", "RetryConfig", "RetryStore",
            "RetryClient", "SystemKit",
        ],
    ]

    @Test
    func targetsImportOnlyWhatIsBelowThem() {
        var problems: [String] = []
        for file in Tree.swiftSources {
            guard let allowed = ImportTests.allowed[file.target] else {
                problems.append("\(file.path): its target is not in the list of allowed imports")
                continue
            }
            for (index, line) in file.code.enumerated() {
                guard let module = ImportTests.imported(by: line) else { continue }
                if allowed.contains(module) { continue }
                problems.append("\(file.place(index)): \(file.target) may not import \(module)")
            }
        }
        expectNone(problems)
    }

    @Test
    func theListNamesNoTargetThatIsGone() {
        let targets = Set(Tree.swiftSources.map(\.target))
        #expect(Set(ImportTests.allowed.keys).subtracting(targets) == [])
    }

    @Test
    func nothingInstalledUsesFoundation() {
        var problems: [String] = []
        let heavy: Set = ["Foundation", "FoundationEssentials", "Dispatch", "_Concurrency"]
        for file in Tree.swiftSources {
            for (index, line) in file.code.enumerated() {
                guard let module = ImportTests.imported(by: line) else { continue }
                if heavy.contains(module) {
                    problems.append("\(file.place(index)): imports \(module)")
                }
            }
        }
        expectNone(problems)
    }

    @Test(arguments: [
        ("import JSON", "JSON"), ("package import RetryModel", "RetryModel"),
        ("@testable import Varlink", "Varlink"), ("import struct Foundation.Date", "Foundation"),
        ("let x = importer", nil), ("", nil),
    ])
    func readsImports(line: String, module: String?) {
        #expect(ImportTests.imported(by: line) == module)
    }

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol"]

    /// The module a line imports; nil: it imports none.
    private static func imported(by line: String) -> String? {
        let words = Words.of(line).map(\.text)
        guard let position = words.firstIndex(of: "import") else { return nil }
        let rest = words[(position + 1)...].drop { kinds.contains($0) }
        return rest.first.map { String($0) }
    }
}
