import RetryCLI
import Support
import Testing

@Suite struct WatchCommandTests {
    @Test func watches() throws {
        let summary = Replies.summary(id: 7, state: "dead", reason: "dead", key: "k")
        let daemon = try Daemon { _ in
            [
                .continues(
                    #"{"event":"present","at_usec":1700000000000000,"operation":\#(summary)}"#),
                .continues(#"{"event":"settled","at_usec":1700000000000000}"#),
                .reply(
                    #"{"event":"gave-up","at_usec":1700000000000000,"operation":\#(summary),"#
                        + #""decision":\#(Replies.decision)}"#),
            ]
        }
        let clock = TimeText.clock(1_700_000_000_000_000)
        let tool = daemon.run("watch", "--queue", "mail")
        #expect(tool.code == 0)
        #expect(
            tool.outputLines == [
                "\(clock)  7 mail  k  present  dead", "\(clock)  settled",
                "\(clock)  7 mail  k  gave-up  dead  retry now, http-unavailable",
            ])
        #expect(daemon.requests[0].parameters == #"{"filter":{"queue":"mail"}}"#)
        #expect(daemon.run("watch", "--changes", "--json=short").outputLines.count == 1)
    }

    @Test func aHandlerIsToldWhatNeedsSomebody() throws {
        let summary = Replies.summary(id: 7, state: "ready", reason: "no-worker")
        let daemon = try Daemon { _ in
            [
                .continues(
                    #"{"event":"credential-held","at_usec":1700000000000000,"operation":null,"#
                        + #""signal":"credential:c"}"#),
                .reply(
                    #"{"event":"recovered","at_usec":1700000000000000,"operation":\#(summary),"#
                        + #""outcome":"retried"}"#),
            ]
        }
        let clock = TimeText.clock(1_700_000_000_000_000)
        let tool = daemon.run("watch", "--role", "handler")
        #expect(tool.outputLines.count == 2)
        #expect(tool.outputLines.first == "\(clock)  credential-held  credential:c")
        #expect(
            tool.outputLines.last?.hasPrefix("\(clock)  7 mail  recovered  retried  ready") == true)
        #expect(daemon.requests[0].parameters == #"{"role":"handler"}"#)
    }
}
