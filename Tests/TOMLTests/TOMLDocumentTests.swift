import TOML
import Testing

@Suite struct TOMLDocumentTests {
    private func parse(_ text: String) throws(TOMLError) -> TOMLTable {
        try TOMLDocument.parse(Array(text.utf8), file: "test.toml").root
    }

    @Test func everyKindOfValueIsRead() throws {
        let root = try parse(
            """
            text = "größer"
            count = -9223372036854775808
            ratio = 1.5
            on = true
            day = 2026-03-01T12:00:00Z
            list = [1, "two", [3]]
            inline = { a = 1, b.c = 2 }
            """)
        #expect(root["text"]?.string == "größer")
        #expect(root["count"]?.integer == .min)
        #expect(root["ratio"]?.double == 1.5)
        #expect(root["on"]?.bool == true)
        #expect(root["day"]?.content == .date("2026-03-01T12:00:00Z"))
        #expect(root["list"]?.array?.map(\.kindName) == ["an integer", "a string", "an array"])
        #expect(root["inline"]?.table?["b"]?.table?["c"]?.integer == 2)
        #expect(root["absent"] == nil)
        #expect(root["text"]?.integer == nil)
    }

    @Test func membersKeepTheOrderOfTheFile() throws {
        let root = try parse("zebra = 1\nape = 2\n[mouse]\nx = 1\n[[cat]]\nb = 1\na = 2\n")
        #expect(root.entries.map(\.key) == ["zebra", "ape", "mouse", "cat"])
        #expect(root["cat"]?.array?.first?.table?.entries.map(\.key) == ["b", "a"])
    }

    @Test func keysAndValuesKnowWhereTheyStand() throws {
        let root = try parse(
            "a = 1\n\n[[rule]]\n  name = \"x\"\n  when.http.status = [409,\n 410]\n")
        let rule = try #require(root["rule"]?.array?.first)
        #expect(rule.position == TOMLPosition(line: 3, column: 1))
        let name = try #require(rule.table?.entry("name"))
        #expect(name.keyPosition == TOMLPosition(line: 4, column: 3))
        #expect(name.value.position == TOMLPosition(line: 4, column: 10))
        let status = try #require(rule.table?["when"]?.table?["http"]?.table?.entry("status"))
        #expect(status.keyPosition == TOMLPosition(line: 5, column: 13))
        #expect(status.value.array?.last?.position == TOMLPosition(line: 6, column: 2))
    }

    @Test func anErrorNamesFileLineAndColumn() {
        let error = #expect(throws: TOMLError.self) { try parse("a = 1\nb = = 2\n") }
        #expect(error?.file == "test.toml")
        #expect(error?.line == 2)
        #expect(error?.column == 5)
        #expect(error?.message.isEmpty == false)
    }

    @Test(arguments: [
        "a = 1\na = 2", "[t", "a = 99999999999999999999", "a = \"\u{0}\"", "= 1", "a.b = 1\na = 2",
    ])
    func whatIsNotTOMLIsRefused(text: String) {
        #expect(throws: TOMLError.self) { try parse(text) }
    }

    @Test func invalidUTF8IsRefused() {
        #expect(throws: TOMLError.self) {
            try TOMLDocument.parse([0x61, 0x3D, 0x22, 0xFF, 0x22], file: "x")
        }
    }

    @Test func anEmptyFileIsAnEmptyTable() throws {
        #expect(try parse("").entries.isEmpty)
        #expect(try TOMLDocument.parse([], file: "x").root.entries.isEmpty)
        #expect(try parse("# only a comment\n").entries.isEmpty)
    }

    /// Dots of texts, comments and numbers make no key.
    @Test func dotsElsewhereDoNotCount() throws {
        let dots = String(repeating: ".", count: 100)
        let root = try parse(
            """
            # \(dots)
            a = "x\\"\(dots)"
            b = '\(dots)'
            c = \"\"\"
            \(dots) " \\\"\"\"\"
            d = '''
            \(dots)' '''
            "\(dots)" = [1.5, 2.5]
            e.f = 12:00:00.5
            """)
        #expect(root.entries.map(\.key) == ["a", "b", "c", "d", dots, "e"])
    }

    @Test func dottedKeysDeeperThanTheBoundAreRefused() throws {
        for count in [80, 40_000] {
            let path = Array(repeating: "a", count: count).joined(separator: ".")
            for text in ["\(path) = 1", "[\(path)]", "[[\(path)]]", "x = { \(path) = 1 }"] {
                let error = #expect(throws: TOMLError.self) { try parse("# one\n\(text)") }
                #expect(error?.message == "tables are nested too deeply: more than 64")
                #expect(error?.line == 2)
            }
            let quoted = Array(repeating: "\"a\"", count: count).joined(separator: " . ")
            #expect(throws: TOMLError.self) { try parse("\(quoted) = 1") }
        }
        let allowed = Array(repeating: "a", count: 60).joined(separator: ".")
        #expect(try parse("\(allowed) = 1").entries.count == 1)
    }
}
