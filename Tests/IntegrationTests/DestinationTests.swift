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
    func aBudgetIsSpentAndToldAndComesBack() throws {
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

    @Test
    func aKillForgetsNeitherFailuresNorAnOpenBreaker() throws {
        let client = try daemon.connect()
        try fail(client, times: 4)
        #expect(try told(client)["failures"] == 4)
        daemon.kill()
        try daemon.start()
        let second = try daemon.connect()
        #expect(try told(second)["failures"] == 4)
        #expect(try told(second)["breaker"] == "closed")
        try fail(second, times: 1)
        let open = try told(second)
        #expect(open["breaker"] == "open")
        let until = try #require(open["until_usec"].integer)
        daemon.kill()
        try daemon.start()
        let third = try daemon.connect()
        // Whoever waits there is told until when.
        let id = try submit(third)
        try third.succeed("Retry", ["id": .integer(id)])
        if Clocks.realtimeUsec() < until - 500_000 {
            let still = try told(third)
            #expect(still["breaker"] == "open")
            #expect(abs(try #require(still["until_usec"].integer) - until) < 2_000)
            let why = try third.why(id)
            #expect(why["primary"]["code"] == "breaker-open")
            #expect(why["primary"]["until_usec"] == still["until_usec"])
        }
        // One probe goes, and closes it.
        let probe = try third.lease("mail", ["max": 10])
        #expect(try told(third)["breaker"] == "half-open")
        #expect(Clocks.realtimeUsec() >= until - 2_000)
        #expect(try third.succeed("Lease", ["queues": ["mail"], "max": 10])["operations"] == [])
        try third.succeed("Report", .succeeded(probe))
        #expect(try told(third)["breaker"] == "closed")
    }
}
