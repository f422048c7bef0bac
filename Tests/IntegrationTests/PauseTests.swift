import Support
import SystemKit
import Testing

/// Pausing and resuming over the socket, and how what was held goes afterwards.
@Suite
struct PauseTests {
    private let daemon: PrivateDaemon
    private let client: WireClient
    private let user = Int64(Credentials.effectiveUser)

    init() throws {
        daemon = try Scenario.started(settings: "[ramp]\nfirst = 20\ngrowth = 1.25\n")
        client = try daemon.connect()
    }

    private func submit(_ count: Int, queue: String) throws -> [Int64] {
        try (0..<count).map { _ in try client.submit(["queue": .string(queue)]) }
    }

    @Test
    func aPauseIsToldWithItsAuthorReasonAndEnd() throws {
        let ids = try submit(3, queue: "mail") + submit(1, queue: "other")
        let before = Clocks.realtimeUsec()
        let paused = try client.succeed(
            "Pause", ["queue": "mail", "reason": "upgrade", "ttl_ms": 3_600_000])
        #expect(paused["waiting"] == 3)
        let told = try client.succeed("ListPauses")["pauses"]
        #expect(told.elements.count == 1)
        #expect(told[0]["queue"] == "mail")
        #expect(told[0]["destination"] == .null)
        #expect(told[0]["author_uid"].integer == user)
        #expect(told[0]["reason"] == "upgrade")
        #expect(told[0]["waiting"] == 3)
        let until = try #require(told[0]["until_usec"].integer)
        #expect(abs(until - before - 3_600_000_000) < 10_000_000)
        #expect(try client.state(ids[0]) == "held")
        #expect(try client.state(ids[3]) != "held")
        let why = try client.why(ids[0])["primary"]
        #expect(why["code"] == "paused-by")
        #expect(why["until_usec"].integer == until)
        // It is stored.
        daemon.kill()
        try daemon.start()
        let back = try daemon.connect()
        let kept = try back.succeed("ListPauses")["pauses"][0]
        for name in ["queue", "author_uid", "reason", "waiting", "since_usec"] {
            #expect(kept[name] == told[0][name], "\(name)")
        }
        // The two clocks are read anew by each process.
        #expect(abs(try #require(kept["until_usec"].integer) - until) < 5_000)
        #expect(try back.state(ids[0]) == "held")
        let resumed = try back.succeed("Resume", ["queue": "mail"])
        #expect(resumed["paused"] == true)
        #expect(resumed["released"] == 3)
        #expect(try back.succeed("ListPauses")["pauses"].elements.isEmpty)
        #expect(try back.state(ids[0]) != "held")
        #expect(try back.succeed("Resume", ["queue": "mail"])["paused"] == false)
    }

    @Test
    func aPauseEndsByItself() throws {
        let id = try client.submit(["queue": "mail"])
        try client.succeed("Retry", ["id": .integer(id)])
        try client.succeed("Pause", ["all": true, "ttl_ms": 300])
        #expect(try client.state(id) == "held")
        try client.await(id, "ready")
        #expect(try client.succeed("ListPauses")["pauses"].elements.isEmpty)
    }

    @Test
    func whatAPauseHeldGoesByAndBy() throws {
        _ = try submit(200, queue: "mail")
        #expect(try client.succeed("Pause", ["queue": "mail"])["waiting"] == 200)
        let retried = try client.succeed("Retry", ["filter": ["queue": "mail"]])
        #expect(retried["count"] == 200)
        #expect(try client.succeed("Status")["release"] == .null)
        let worker = try daemon.connect()
        try worker.send("Lease", ["queues": ["mail"], "max": 500], .more)
        try client.succeed("Resume", ["queue": "mail"])
        var out = 0
        while out < 200 { out += try worker.receive()["operations"].elements.count }
        let release = try client.succeed("Status")["release"]
        #expect(release["trigger"] == "resume")
        #expect(release["released"] == 200)
        #expect(release["waiting"] == 0)
        // 20, 25, 31, 38, 47 in the first five windows: 161. The rest goes in the sixth.
        let over = try #require(release["over_usec"].integer)
        #expect(over >= 500_000 - 1_000)
        #expect(try #require(release["peak"].integer) <= 58)
        let ended = try #require(release["ended_usec"].integer)
        #expect(abs(Clocks.realtimeUsec() - ended) < 20_000_000)
    }
}
