import Support
import Testing

@Suite struct SignalCommandTests {
    @Test func setsSignals() throws {
        let daemon = try Daemon(answering: #"{"signal":"custom:vpn","on":true,"released":2}"#)
        let tool = daemon.run("signal", "custom:vpn", "on", "--for", "90s")
        #expect(tool.output == "custom:vpn is on; 2 operations released\n")
        #expect(daemon.run("foreground", "--off").code == 0)
        #expect(daemon.run("foreground", "app:mail", "--while", "17", "--owner", "0").code == 0)
        #expect(
            daemon.requests.map(\.parameters) == [
                #"{"signal":"custom:vpn","on":true,"ttl_ms":90000}"#,
                #"{"signal":"foreground","on":false}"#,
                #"{"signal":"foreground","scope":"app:mail","on":true,"while_pid":17,"#
                    + #""owner_uid":0}"#,
            ])
        #expect(daemon.run("signal", "network", "up").code == 64)
        #expect(daemon.run("signal", "network", "on", "--for", "soon").code == 64)
    }
}
