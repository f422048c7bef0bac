import Support
import Testing

@Suite struct ShowCommandTests {
    @Test func shows() throws {
        let summary = Replies.summary(id: 7, key: "k\u{202E}")
        let daemon = try Daemon(
            answering: #"{"operation":\#(summary),"payload":{"a":1},"#
                + #""failure":{"http":{"status":503}},"decision":\#(Replies.decision),"#
                + #""primary":\#(Replies.reason)}"#)
        let output = daemon.run("show", "7").output
        #expect(output.contains("id:            7\n"))
        #expect(output.contains("key:           k\\u{202e}\n"))
        #expect(output.contains("understood as: a failure that may pass (rule http-unavailable)\n"))
        #expect(output.contains("payload:\n  {\n    \"a\": 1\n  }\n"))
        #expect(output.contains("failure:\n  {\n    \"http\": {\n"))
        #expect(daemon.run("show", "7", "--payload").output == #"{"a":1}"#)
        #expect(!output.contains("also:") && !output.contains("deadline:"))
        let more = summary.dropLast()
            + #","deadline_usec":1700000009000000,"others":[\#(Replies.reason)]}"#
        let held = try Daemon(
            answering: #"{"operation":\#(more),"primary":\#(Replies.reason)}"#)
        let page = held.run("show", "7").output
        #expect(page.contains("also:          backoff-until, "))
        #expect(page.contains("deadline:      "))
        #expect(page.contains("counted:       1 attempt, "))
        let pretty = daemon.run("show", "7", "--json=pretty").output
        #expect(pretty.hasPrefix("{\n  \"operation\": {\n"))
    }
}
