import RetryCLI
import RetryClient
import Testing

@Suite struct ConsoleTests {
    private let console = Console(capturingWithColumns: nil)

    private func written() throws -> String {
        try console.flush()
        return String(decoding: console.captured, as: UTF8.self)
    }

    private var said: String { String(decoding: console.capturedMessages, as: UTF8.self) }

    @Test func printsJSONAsAskedFor() throws {
        let json = Array("{\"a\":[1],\"b\":\"\u{9B}\"}".utf8)
        console.jsonMode = .short
        try console.writeJSON(json)
        console.jsonMode = .pretty
        try console.writeJSON(json)
        #expect(
            try written() == #"{"a":[1],"b":"\u009b"}"# + "\n"
                + "{\n  \"a\": [\n    1\n  ],\n  \"b\": \"\\u009b\"\n}\n")
    }

    @Test func indentsJSONForPeople() throws {
        try console.writeIndented(RawJSON(Array(#"{"a":1}"#.utf8)))
        #expect(try written() == "  {\n    \"a\": 1\n  }\n")
    }

    @Test func quietIsForMessagesAndNotForErrors() {
        console.isQuiet = true
        console.say("done")
        console.complain("bad\u{1B}")
        #expect(said == "retryctl: bad\\u{1b}\n")
    }

    @Test func holdsBackWhatIsWritten() throws {
        try console.writeLine("a")
        #expect(console.captured.isEmpty)
        try console.writeLine(String(repeating: "b", count: 70_000))
        #expect(console.captured.count == 70_003)
    }

    @Test func coloursOnlyWhereAsked() {
        #expect(console.coloured("x", .red) == "x")
        let colourful = Console(capturingWithColumns: nil, usesColour: true)
        #expect(colourful.coloured("x", .red) == "\u{1B}[31mx\u{1B}[0m")
        #expect(colourful.coloured("x", nil) == "x")
    }
}
