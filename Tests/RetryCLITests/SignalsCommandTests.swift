import Support
import Testing

@Suite struct SignalsCommandTests {
    @Test func listsSignals() throws {
        let signal =
            #"{"signal":"custom:vpn","owner_uid":17,"on":true,"setter_uid":5,"#
            + #""since_usec":1700000000000000,"#
            + #""until_usec":null,"waiting":2}"#
        let daemon = try Daemon(answering: #"{"signals":[\#(signal)]}"#)
        #expect(daemon.run("signals", "--json=short").output == signal + "\n")
        #expect(daemon.run("signals").outputLines[1].hasPrefix("custom:vpn     17  on"))
        let none = try Daemon(answering: #"{"signals":[]}"#).run("signals")
        #expect(none.output == "")
        #expect(none.messages == "No signal was set.\n")
    }

    @Test func tellsWhatEndsALevel() throws {
        let level =
            #"{"signal":"custom:vpn","owner_uid":17,"on":true,"setter_uid":5,"#
            + #""since_usec":1700000000000000,"waiting":2,"while_pid":"#
        let alone = try Daemon(answering: #"{"signals":[\#(level)4711,"until_usec":null}]}"#)
        #expect(alone.run("signals").output.contains("  end of process 4711  "))
        let both = try Daemon(
            answering: #"{"signals":[\#(level)4711,"until_usec":1700000000000000}]}"#)
        #expect(both.run("signals").output.contains(" or end of process 4711  "))
    }
}
