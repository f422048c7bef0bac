import Testing

@testable import RetryDaemon

/// What came from somebody else must not move a terminal's cursor or begin a line of its own.
@Suite
struct EscapeTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("zwölf €", "zwölf €"),
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("\u{1B}[31mred", "\\x1b[31mred"),
        ("\u{7F}", "\\x7f"),
        ("\u{9B}31m", "\\x9b31m"),
        ("\u{0}", "\\x00"),
        ("\u{A0}", "\u{A0}"),
        ("a\u{202E}b\u{200B}\u{2066}", "a\\u{202e}b\\u{200b}\\u{2066}"),
        ("", ""),
    ])
    func controlCharactersAreWrittenAsNumbers(text: String, line: String) {
        #expect(Escape.line(text) == line)
    }
}
