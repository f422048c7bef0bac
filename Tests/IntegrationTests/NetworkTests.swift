import Support
import SystemKit
import Testing

/// The signal `network` follows the default route of the daemon's network namespace.
@Suite
struct NetworkTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.daemon()
        try daemon.write(NetworkTests.follows(true), to: "retryd.toml.d/network.toml")
        daemon.wrapper = ["unshare", "--net"]
        try daemon.start()
        client = try daemon.connect()
        try ip("link", "set", "lo", "up")
    }

    private static func follows(_ doesFollow: Bool) -> String {
        "[signals]\nfollow-network = \(doesFollow)\n"
    }

    private func ip(_ arguments: String...) throws {
        let child = try ChildProcess.start(
            ["nsenter", "--net=/proc/\(daemon.process)/ns/net", "/sbin/ip"] + arguments)
        #expect(child.wait() == .exited(code: 0))
    }

    private func isOn() throws -> Bool {
        let signals = try client.succeed("ListSignals")["signals"].elements
        return try #require(signals.first { $0["signal"] == "network" })["on"] == true
    }

    @Test
    func whatWaitsForItFollowsTheRoute() throws {
        #expect(try !isOn())
        let id = try client.submit(["queue": "mail"], "retry network")
        try client.await(id, "held")
        #expect(try client.succeed("Why", ["id": .integer(id)])["primary"]["code"] == "signal")
        try ip("route", "add", "default", "dev", "lo")
        try client.await(id, "ready")
        #expect(try isOn())
        try ip("route", "del", "default")
        try client.await(id, "held")
    }

    @Test
    func theLevelThatIsFollowedNobodySetsByHand() throws {
        let refused = try client.call("SetSignal", ["signal": "network", "on": true])
        #expect(refused.error == "org.varlink.service.InvalidParameter")
        #expect(refused["reason"].string?.contains("follow-network = false") == true)
        #expect(try !isOn())
    }

    @Test
    func anAdminMaySetItWhereItIsNotFollowed() throws {
        try daemon.write(NetworkTests.follows(false), to: "retryd.toml.d/network.toml")
        try client.succeed("Reload")
        try client.succeed("SetSignal", ["signal": "network", "on": true])
        let id = try client.submit(["queue": "mail"], "retry network")
        try client.await(id, "ready")
        // Followed again, it is what the routes say.
        try daemon.write(NetworkTests.follows(true), to: "retryd.toml.d/network.toml")
        try client.succeed("Reload")
        try client.await(id, "held")
    }
}
