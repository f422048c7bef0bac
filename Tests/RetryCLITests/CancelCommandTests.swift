import Support
import Testing

@Suite struct CancelCommandTests {
    @Test func cancelsByNumber() throws {
        let daemon = try Daemon { request in
            request.parameters == #"{"id":2}"#
                ? [.error("io.retryd.NoSuchOperation", #"{"id":2}"#)] : [.reply(#"{"count":1}"#)]
        }
        #expect(daemon.run("cancel", "1").output == "1 operation cancelled\n")
        let tool = daemon.run("cancel", "1", "2", "3")
        // The others are still acted on.
        #expect(tool.output == "2 operations cancelled\n")
        #expect(tool.code == 66)
        #expect(tool.messages.contains("operation 2: there is none"))
        #expect(daemon.run("cancel", "1", "--json=short").output == "{\"count\":1}\n")
    }

    @Test func actsOnceOnWhatIsNamedTwice() throws {
        let daemon = try Daemon(answering: #"{"count":1}"#)
        #expect(daemon.run("retry", "17", "17").output == "1 operation to be tried again\n")
        #expect(daemon.requests.map(\.parameters) == [#"{"id":17}"#])
    }

    @Test func actsOnFiltersOnlyWhenTold() throws {
        let daemon = try Daemon(answering: #"{"count":5}"#)
        #expect(daemon.run("cancel").code == 64)
        #expect(daemon.run("retry", "1", "--queue", "q").code == 64)
        #expect(daemon.requests.isEmpty)
        #expect(daemon.run("cancel", "--queue", "q").code == 0)
        #expect(daemon.run("retry", "--all", "--reclassify").output.hasPrefix("5 operations"))
        #expect(
            daemon.requests.map(\.parameters) == [
                #"{"filter":{"queue":"q"}}"#, #"{"filter":{},"reclassify":true}"#,
            ])
        #expect(daemon.requests.map(\.method) == ["io.retryd.Cancel", "io.retryd.Retry"])
    }
}
