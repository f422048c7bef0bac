import RetryCLI
import Support
import Testing

@Suite struct PauseCommandTests {
    private func tool(_ arguments: [String], answering json: String) throws -> (Tool, Daemon) {
        let daemon = try Daemon(answering: json)
        return (Tool(arguments, socket: "\(daemon.path)/socket"), daemon)
    }

    @Test func pausesWhatIsSaid() throws {
        let (tool, daemon) = try tool(
            ["pause", "--destination", "api", "--for", "2h", "--reason", "maintenance"],
            answering: #"{"waiting":3}"#)
        #expect(tool.output == "paused; 3 operations held by it\n")
        #expect(
            daemon.requests[0].parameters
                == #"{"destination":"api","reason":"maintenance","ttl_ms":7200000}"#)
    }

    @Test func resumesExactlyThat() throws {
        let (tool, daemon) = try tool(
            ["resume", "--all"], answering: #"{"paused":true,"released":1}"#)
        #expect(tool.output == "resumed; 1 operation let go\n")
        #expect(daemon.requests[0].parameters == #"{"all":true}"#)
        let (none, _) = try self.tool(
            ["resume", "--queue", "q"], answering: #"{"paused":false,"released":0}"#)
        #expect(none.code == 66)
        #expect(none.messages.contains("that was not paused"))
    }

    @Test func listsThem() throws {
        let pause = #"""
            {"owner_uid":null,"queue":"mail","destination":null,"credential":null,"author_uid":0,\#
            "reason":"moving","since_usec":1700000000000000,"until_usec":null,"waiting":2}
            """#
        let (tool, daemon) = try tool(["pause"], answering: #"{"pauses":[\#(pause)]}"#)
        #expect(daemon.requests[0].method == "io.retryd.ListPauses")
        #expect(tool.outputLines[1].hasPrefix("queue mail        2  "))
        #expect(tool.outputLines[1].hasSuffix("  -       0  moving"))
    }

    @Test func nothingIsPausedByAccident() throws {
        for arguments in [["pause", "--reason", "x"], ["pause", "--for", "1h"], ["resume"]] {
            let (tool, daemon) = try tool(arguments, answering: "{}")
            #expect(tool.code == 64)
            #expect(tool.messages.contains("say --queue, --destination"))
            #expect(daemon.requests.isEmpty)
        }
    }

    @Test func listsDestinations() throws {
        let destination = #"""
            {"destination":"api","owner_uid":null,"breaker":"open","until_usec":1,"since_usec":0,\#
            "failures":5,"budget":475,"budget_max":500,"running":0,"running_max":4,"waiting":9}
            """#
        let (tool, _) = try tool(
            ["destinations"], answering: #"{"destinations":[\#(destination)]}"#)
        #expect(tool.outputLines[1].hasSuffix("5  475/500      0/4        9"))
    }
}
