import RetryCLI
import Support
import Testing

@Suite struct RecoverCommandTests {
    private let messages = #"""
        {"language":"en","title":"Sign in again","description":"It has ended.",\#
        "suggestion":null,"options":[{"name":"sign-in","label":"Sign in","effect":"sign-in"}]}
        """#

    @Test func tellsWhatAPersonCanDo() throws {
        let daemon = try Daemon(
            answering: #"{"id":7,"state":"held","outcome":null,"messages":\#(messages)}"#)
        let tool = daemon.run("recover", "7", "--language", "en")
        #expect(
            tool.outputLines == [
                "operation 7 is held", "  people  Sign in again", "          It has ended.",
                "          [sign-in] Sign in (sign-in)",
            ])
        #expect(daemon.requests[0].parameters == #"{"id":7,"language":"en"}"#)
    }

    @Test func takesAnOption() throws {
        let daemon = try Daemon(
            answering: #"{"id":7,"state":"ready","outcome":"retried","messages":\#(messages)}"#)
        let tool = daemon.run("recover", "7", "sign-in", "--language", "de")
        #expect(tool.output == "operation 7 is retried: it is ready\n")
        #expect(
            daemon.requests[0].parameters == #"{"id":7,"option":"sign-in","language":"de"}"#)
    }
}

@Suite struct ResolveCommandTests {
    @Test func bringsPayloadAndFailure() throws {
        let daemon = try Daemon(
            answering: #"{"id":7,"state":"scheduled","decision":\#(Replies.decision),"#
                + #""due_usec":1,"due":1}"#)
        let tool = daemon.run("resolve", "7", "--payload", "new", "--http-status", "503")
        #expect(tool.outputLines[0] == "operation 7 is scheduled")
        #expect(tool.outputLines[1].hasPrefix("tried again "))
        #expect(
            daemon.requests[0].parameters
                == #"{"id":7,"payload":"new","failure":{"http":{"status":503}}}"#)
        #expect(daemon.run("resolve", "7").code == 0)
        #expect(daemon.requests[1].parameters == #"{"id":7}"#)
        #expect(daemon.run("resolve", "7", "--payload", "a", "--payload-file", "b").code == 64)
    }
}
