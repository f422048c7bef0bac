import Support
import Testing

@Suite struct StatusCommandTests {
    @Test func tellsTheStatus() throws {
        func answer(_ store: String, _ more: String = "") -> String {
            #"{"version":"1.0","pid":5,"sentence":"3 waiting","started_usec":1700000000000000,"#
                + #""store":"\#(store)","counts":{"scheduled":3,"dead":0},"next_usec":null,"#
                + #"\#(more)"log_level":"info","connections":1,"rules":9,"#
                + #""rules_hash":"ab","memory_bytes":2048}"#
        }
        let tool = try Daemon(answering: answer("serving")).run("status")
        #expect(tool.code == 0)
        #expect(tool.outputLines[1] == "3 waiting")
        #expect(tool.outputLines.contains("scheduled    3"))
        #expect(!tool.output.contains("dead"))
        #expect(!tool.output.contains("releas"))
        func release(_ ended: String) throws -> String {
            let release =
                #""release":{"trigger":"start","released":1204,"waiting":7,"peak":300,"#
                + #""over_usec":2000000,"ended_usec":\#(ended)},"#
            return try Daemon(answering: answer("serving", release)).run("status").output
        }
        #expect(
            try release("null").contains(
                "\nreleasing    1204 operations after start so far, 7 to go\n"))
        #expect(
            try release("1700000000000000").contains(
                "\nreleased     1204 operations after start over 2s, at most 300 in 100 ms, "))
        #expect(try Daemon(answering: answer("failing")).run("status", "--json=short").code == 75)
    }
}
