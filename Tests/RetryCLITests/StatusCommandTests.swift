import Support
import Testing

@Suite struct StatusCommandTests {
    @Test func tellsTheStatus() throws {
        func answer(_ store: String) -> String {
            #"{"version":"1.0","pid":5,"sentence":"3 waiting","started_usec":1700000000000000,"#
                + #""store":"\#(store)","counts":{"scheduled":3,"dead":0},"next_usec":null,"#
                + #""log_level":"info","connections":1,"rules":9,"#
                + #""rules_hash":"ab","memory_bytes":2048}"#
        }
        let tool = try Daemon(answering: answer("serving")).run("status")
        #expect(tool.code == 0)
        #expect(tool.outputLines[1] == "3 waiting")
        #expect(tool.outputLines.contains("scheduled    3"))
        #expect(!tool.output.contains("dead"))
        #expect(try Daemon(answering: answer("failing")).run("status", "--json=short").code == 75)
    }
}
