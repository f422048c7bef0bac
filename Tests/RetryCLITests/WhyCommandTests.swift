import RetryCLI
import Support
import Testing

@Suite struct WhyCommandTests {
    @Test func saysWhy() throws {
        let answer =
            #"{"id":7,"state":"scheduled","primary":\#(Replies.reason),"others":["#
            + #"{"code":"signal","signal":"foreground user:5","next":"set it"}]}"#
        let daemon = try Daemon(answering: answer)
        #expect(daemon.run("why", "7", "--json=short").output == answer + "\n")
        let moment = TimeText.absolute(1_700_000_002_000_000)
        let lines = daemon.run("why", "7").outputLines
        #expect(lines.count == 7)
        #expect(lines[0] == "operation 7 is scheduled")
        #expect(lines[1] == "because  backoff-until")
        #expect(lines[2].hasSuffix("ago (\(moment))"))
        #expect(lines[3] == "next     tried again by itself")
        #expect(lines[4] == "also")
        #expect(lines[5] == "  because  signal foreground user:5")
        #expect(lines[6] == "  next     set it")
        #expect(daemon.requests[0].parameters == #"{"id":7}"#)
    }
}
