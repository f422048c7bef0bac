import SystemKit
import Testing

@testable import RetryConfig

/// docs/OPERATIONS.md says of every key what a change of it needs.
@Suite
struct ReloadDocumentTests {
    /// The rows of the table: section without brackets, keys, and what is needed.
    private let rows: [(section: String, keys: [String], needs: String)]

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let bytes = try Files.readAll(root + "/docs/OPERATIONS.md", bytesMax: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        rows = text.split(separator: "\n").filter { $0.hasPrefix("| `[") }.map { line in
            let cells = line.split(separator: "|")
            let words = cells[0].split(separator: "`").map(String.init).filter { $0 != " " }
            return (
                words[0].filter { $0.isLetter || $0 == "-" }, Array(words.dropFirst()),
                String(cells[1])
            )
        }
    }

    @Test
    func everyKeyStandsThereOnce() {
        let sections: [(String, [String])] = [
            ("limits", LimitKey.allCases.map(\.rawValue)),
            ("retention", RetentionKey.allCases.map(\.rawValue)),
            ("policyX", PolicyKey.allCases.map(\.rawValue)),
            ("queueX", QueueKey.allCases.map(\.rawValue)),
            ("command", CommandKey.allCases.map(\.rawValue)),
            ("admin", AdminKey.allCases.map(\.rawValue)),
            ("rules", RulesKey.allCases.map(\.rawValue)),
            ("signals", SignalsKey.allCases.map(\.rawValue)),
            ("journal", JournalKey.allCases.map(\.rawValue)),
        ]
        #expect(sections.count == SectionKey.allCases.count)
        for (section, keys) in sections {
            let told = rows.filter { $0.section == section }.flatMap(\.keys)
            #expect(told.sorted() == keys.sorted(), "[\(section)]")
        }
    }

    @Test
    func everythingInFilesIsTakenByAReload() {
        #expect(!rows.isEmpty)
        for row in rows { #expect(row.needs.contains("reload"), "[\(row.section)] \(row.keys)") }
    }
}
