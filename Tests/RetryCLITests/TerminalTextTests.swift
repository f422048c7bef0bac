import JSON
import RetryCLI
import Testing

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain text, ä€😀", "plain text, ä€😀"),
        ("\u{1B}[2J\u{7}", "\\u{1b}[2J\\u{7}"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("back\\slash", "back\\\\slash"),
        // C1 controls: some terminals take U+009B for ESC [.
        ("\u{9B}31m\u{7F}", "\\u{9b}31m\\u{7f}"),
        // Marks of writing direction and of nothing.
        ("a\u{202E}b\u{2066}c\u{200B}d\u{FEFF}", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}"),
    ])
    func escapesWhatATerminalWouldObey(text: String, escaped: String) {
        #expect(TerminalText.escape(text) == escaped)
    }

    @Test func keepsTheLinesOfATextWithLines() {
        #expect(TerminalText.escapeLines("a\u{1B}\n\nb") == "a\\u{1b}\n\nb")
    }

    @Test func escapedJSONMeansTheSame() throws {
        let text = "ä\u{9B}\u{202E}\u{7F}😀"
        var writer = JSONWriter()
        writer.beginArray()
        writer.string(text)
        writer.endArray()
        let escaped = TerminalText.escapeJSON(writer.bytes)
        #expect(String(decoding: escaped, as: UTF8.self) == #"["ä\u009b\u202e\u007f😀"]"#)
        let parser = JSONParser(lengthMax: 1_000, depthMax: 4)
        let value = try parser.parse(escaped)
        #expect(value.elements?.map(\.string) == [text])
        withExtendedLifetime(parser) {}
    }
}
