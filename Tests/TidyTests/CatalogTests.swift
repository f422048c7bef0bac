import Testing

/// Journal entries and the catalog that explains them agree.
@Suite
struct CatalogTests {
    /// Names of events and their ids, as Sources/RetryDaemon/MessageID.swift has them.
    private let ids: [(name: Substring, id: String)]
    /// The catalog's entries by id.
    private let entries: [(id: String, lines: [String])]

    init() throws {
        let source = try #require(
            Tree.files.first { $0.path == "Sources/RetryDaemon/MessageID.swift" })
        ids = source.lines.compactMap { line in
            let words = Words.of(line).map(\.text)
            guard words.count == 3, words[0] == "case" else { return nil }
            return (words[1], String(words[2]))
        }
        let catalog = try #require(Tree.files.first { $0.path == "systemd/retryd.catalog" })
        var entries: [(id: String, lines: [String])] = []
        for line in catalog.lines where line.first != "#" {
            if line.hasPrefix("-- ") {
                entries.append((String(line.dropFirst(3)), []))
            } else if !entries.isEmpty {
                entries[entries.count - 1].lines.append(line)
            }
        }
        self.entries = entries
    }

    @Test
    func everyKindOfEntryIsExplainedOnce() {
        #expect(ids.count >= 13)
        #expect(ids.map(\.id).sorted() == entries.map(\.id).sorted())
    }

    @Test
    func idsAreWhatTheJournalTakes() {
        for (name, id) in ids {
            let isGood = id.utf8.count == 32 && id.allSatisfy { "0123456789abcdef".contains($0) }
            #expect(isGood, "\(name): \(id)")
        }
        #expect(Set(ids.map(\.id)).count == ids.count)
    }

    @Test
    func theDocumentListsThemAll() throws {
        let document = try #require(Tree.files.first { $0.path == "docs/OPERATIONS.md" })
        let listed = document.lines.filter { $0.hasPrefix("| `") }.compactMap { line in
            line.split(separator: "`").dropFirst().first.map(String.init)
        }
        #expect(Set(ids.map(\.id)).subtracting(listed) == [])
    }

    /// journalctl would print the name of a field that no entry has.
    @Test
    func theFieldsItPrintsAreWritten() {
        let code = Tree.swiftSources.filter { $0.target == "RetryDaemon" }
        for (id, lines) in entries {
            for line in lines {
                let parts = line.split(separator: "@", omittingEmptySubsequences: false)
                for (position, field) in parts.enumerated() where position % 2 == 1 {
                    let isWritten = code.contains { file in
                        file.lines.contains { $0.contains("JournalField(\"\(field)\"") }
                    }
                    #expect(isWritten, "\(id): \(field)")
                }
            }
        }
    }

    @Test
    func everyEntrySaysWhatAndFromWhom() {
        for (id, lines) in entries {
            #expect(lines.first?.hasPrefix("Subject: ") == true, "\(id)")
            #expect(lines.dropFirst().first == "Defined-By: retryd", "\(id)")
            #expect(lines.dropFirst(2).contains { !$0.isEmpty }, "\(id)")
        }
    }
}
