import Support
import SystemKit
import Testing

/// Budgets and breakers over the socket, and over a kill.
@Suite
struct DestinationTests {
    private let daemon: PrivateDaemon

    init() throws {
        daemon = try Scenario.started()
    }

    private func submit(_ client: WireClient) throws -> Int64 {
        try client.submit(["queue": "mail", "destination": "mx1"])
    }

    private func fail(_ client: WireClient, times: Int) throws {
        for _ in 0..<times {
            try client.succeed("Retry", ["id": .integer(try submit(client))])
            try client.succeed("Report", .failed(try client.lease()))
        }
    }

    private func told(_ client: WireClient) throws -> Value {
        let all = try client.succeed("ListDestinations")["destinations"].elements
        return try #require(all.first { $0["destination"] == "mx1" })
    }

    @Test
    func whatRunsAndWaitsThereIsTold() throws {
        let client = try daemon.connect()
        let id = try submit(client)
        let full = try told(client)
        #expect(full["breaker"] == "closed")
        #expect(full["budget"] == full["budget_max"])
        #expect(full["owner_uid"].integer == Int64(Credentials.effectiveUser))
        #expect(full["waiting"] == 1)
        try client.succeed("Retry", ["id": .integer(id)])
        let leased = try client.lease()
        #expect(try told(client)["running"] == 1)
        try client.succeed("Report", .succeeded(leased))
        let after = try told(client)
        #expect(after["running"] == 0)
        #expect(after["failures"] == 0)
    }

    /// Fails five times with a kill in between.
    private func open(for span: String) throws -> (client: WireClient, untilUsec: Int64) {
        try daemon.write(
            "[destination.default]\nbreaker-open = \"\(span)\"\nbreaker-open-max = \"\(span)\"\n",
            to: "retryd.toml.d/breaker.toml")
        let client = try daemon.connect()
        try client.succeed("Reload")
        try fail(client, times: 4)
        #expect(try told(client)["failures"] == 4)
        let second = try killed()
        #expect(try told(second)["failures"] == 4)
        #expect(try told(second)["breaker"] == "closed")
        try fail(second, times: 1)
        let open = try told(second)
        #expect(open["breaker"] == "open")
        return (try killed(), try #require(open["until_usec"].integer))
    }

    private func killed() throws -> WireClient {
        daemon.kill()
        try daemon.start()
        return try daemon.connect()
    }

    @Test
    func aKillForgetsNeitherFailuresNorAnOpenBreaker() throws {
        let (client, untilUsec) = try open(for: "1h")
        let id = try submit(client)
        try client.succeed("Retry", ["id": .integer(id)])
        let still = try told(client)
        #expect(still["breaker"] == "open")
        // The two clocks are read anew by each process.
        #expect(abs(try #require(still["until_usec"].integer) - untilUsec) < 5_000)
        let why = try client.why(id)["primary"]
        #expect(why["code"] == "breaker-open")
        #expect(why["until_usec"] == still["until_usec"])
    }

    @Test
    func afterAKillOneProbeGoesInItsTimeAndCloses() throws {
        let (client, untilUsec) = try open(for: "2s")
        for _ in 0..<2 { try client.succeed("Retry", ["id": .integer(try submit(client))]) }
        let probe = try client.lease("mail", ["max": 10])
        #expect(Clocks.realtimeUsec() >= untilUsec - 5_000)
        #expect(try told(client)["breaker"] == "half-open")
        #expect(try client.succeed("Lease", ["queues": ["mail"], "max": 10])["operations"] == [])
        try client.succeed("Report", .succeeded(probe))
        #expect(try told(client)["breaker"] == "closed")
    }
}
