import Support
import Testing

@Suite struct LogCommandTests {
    @Test func tellsTheHistory() throws {
        let attempt =
            #"{"number":1,"at_usec":1700000000000000,"outcome":"failed","#
            + #""decision":\#(Replies.decision),"failure":{"message":"m"}}"#
        let daemon = try Daemon(answering: #"{"id":7,"attempts":[\#(attempt)]}"#)
        #expect(daemon.run("log", "7", "--json=short").output == attempt + "\n")
        let lines = daemon.run("log", "7").outputLines
        #expect(lines.count == 2)
        #expect(lines[1].hasPrefix("1  "))
        #expect(lines[1].hasSuffix("failed   retry now, http-unavailable  2s"))
        #expect(daemon.run("log", "7", "--failures").output.contains("    \"message\": \"m\"\n"))
    }
}
