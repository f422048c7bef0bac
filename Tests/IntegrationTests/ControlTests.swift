import Support
import SystemKit
import Testing

/// Cancel and Retry, on one operation and on all that a filter names.
@Suite
struct ControlTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    private func fill(_ count: Int, _ operation: Value, _ meaning: String = "retry") throws {
        let item: Value = [
            "operation": operation.with(["policy": "slow"]),
            "failure": ["test": .string(meaning)],
        ]
        for start in stride(from: 0, to: count, by: 1_000) {
            let items = Array(repeating: item, count: min(1_000, count - start))
            try client.succeed("SubmitMany", ["items": .array(items)])
        }
    }

    @Test
    func cancelEndsOne() throws {
        let id = try client.submit(["queue": "mail", "policy": "slow"])
        #expect(try client.succeed("Cancel", ["id": .integer(id)]) == ["count": 1])
        #expect(try client.state(id) == "cancelled")
        let again = try client.call("Cancel", ["id": .integer(id)])
        #expect(again.error == "io.retryd.WrongState")
        #expect(again["state"] == "cancelled")
        #expect(again["id"].integer == id)
        #expect(try client.call("Cancel", ["id": 99]).error == "io.retryd.NoSuchOperation")
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "cancelled"])
    }

    @Test
    func retrySkipsTheBackOffAndConditions() throws {
        let slow = try client.submit(["queue": "a", "policy": "slow"])
        let held = try client.submit(["queue": "b", "policy": "slow"], "retry custom:door")
        #expect(try client.succeed("Retry", ["id": .integer(slow)]) == ["count": 1])
        #expect(try client.state(slow) == "ready")
        try client.succeed("Retry", ["id": .integer(held)])
        #expect(try client.state(held) == "ready")
        let leased = try client.lease("a")
        let running = try client.call("Retry", ["id": leased["id"]])
        #expect(running.error == "io.retryd.WrongState")
        #expect(running["state"] == "leased")
    }

    @Test
    func retryRevivesWithFreshLimits() throws {
        let dead = try client.submit(["queue": "mail"], "permanent introspect-cause")
        try client.succeed("Retry", ["id": .integer(dead)])
        #expect(try client.state(dead) == "ready")
        #expect(try client.summary(dead)["attempts"] == 0)
        let leased = try client.lease()
        // What the worker gets is the failure that was decided last.
        #expect(leased["attempt"] == 1)
        #expect(leased["failure"] == ["test": "permanent introspect-cause"])
        let history = try client.succeed("History", ["id": .integer(dead)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "revived"])
        let user = Int64(Credentials.effectiveUser)
        #expect(history[1]["uid"].integer == user)
    }

    @Test
    func retryDecidesAnewByTheRulesInForce() throws {
        let id = try client.submit(["queue": "mail", "policy": "slow"], "strange")
        #expect(try client.state(id) == "dead")
        #expect(
            try client.succeed("Retry", ["id": .integer(id), "reclassify": true])
                == ["count": 1])
        #expect(try client.state(id) == "dead")
        try daemon.write(
            """
            [[rule]]
            name = "now-known"
            phase = "verdict"
            when.test = "strange"
            then = { decision = "retry", applied = "no" }
            [[rule.test]]
            failure.test = "strange"
            """, to: "rules.d/later.toml")
        try client.succeed("Reload")
        // A stored decision stays.
        #expect(try client.state(id) == "dead")
        #expect(
            try client.succeed("Retry", ["filter": ["queue": "mail"], "reclassify": true])
                == ["count": 1])
        let got = try client.succeed("Get", ["id": .integer(id)])
        #expect(got["operation"]["state"] == "scheduled")
        #expect(got["operation"]["rule"] == "now-known")
        #expect(got["decision"]["rule"] == "now-known")
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(
            history.map { $0["outcome"] } == ["failed", "reclassified", "reclassified"])
        let running = try client.submit()
        _ = try client.lease()
        let refused = try client.call("Retry", ["id": .integer(running), "reclassify": true])
        #expect(refused.error == "io.retryd.WrongState")
    }

    @Test
    func aFilterActsOnAllItNames() throws {
        try fill(5_000, ["queue": "many"])
        try fill(10, ["queue": "few"])
        try fill(10, ["queue": "many"], "permanent introspect-cause")
        let watcher = try daemon.connect()
        try watcher.send("Status")
        let count = try client.succeed(
            "Cancel", ["filter": ["queue": "many", "state": ["scheduled"]]])
        #expect(count == ["count": 5_000])
        #expect(try client.list(["queue": "many", "state": ["cancelled"]]).count == 5_000)
        #expect(try client.list(["queue": "few"]).allSatisfy { $0["state"] == "scheduled" })
        let revived = try client.succeed("Retry", ["filter": ["state": ["dead"]]])
        #expect(revived == ["count": 10])
        #expect(try client.succeed("Retry", ["filter": ["queue": "none"]]) == ["count": 0])
        // Those whose state does not fit are passed over: the cancelled ones.
        #expect(try client.succeed("Cancel", ["filter": [:]]) == ["count": 20])
        #expect(try client.succeed("Cancel", ["filter": [:]]) == ["count": 0])
    }

    /// Others are served while many are acted on.
    @Test
    func anActOnManyHoldsUpNobody() throws {
        try fill(60_000, ["queue": "many"])
        let other = try daemon.connect()
        try client.send("Cancel", ["filter": ["queue": "many"]])
        var answers = 0
        var worstUsec: Int64 = 0
        while try client.next(timeoutMs: 0) == nil {
            let start = Clocks.monotonicUsec()
            try other.succeed("Status")
            worstUsec = max(worstUsec, Clocks.monotonicUsec() - start)
            answers += 1
        }
        #expect(answers > 5, "\(answers) answers meanwhile")
        #expect(worstUsec < 2_000_000, "\(worstUsec) us")
    }

    @Test
    func anActIsFollowedByWhatWasCalledBehindIt() throws {
        try fill(3_000, ["queue": "many"])
        try client.send("Cancel", ["filter": ["queue": "many"]])
        try client.send("Cancel", ["filter": ["queue": "many"]])
        try client.send("Retry", ["filter": ["queue": "many"], "reclassify": true])
        try client.send("Cancel", ["filter": ["queue": "many"]], .oneway)
        try client.send("Status")
        #expect(try client.receive()["count"] == 3_000)
        #expect(try client.receive()["count"] == 0)
        #expect(try client.receive()["count"] == 0)
        #expect(try client.receive()["store"] == "serving")
    }

    @Test
    func whatDoesNotFitIsRefusedByItsName() throws {
        let cases: [(String, String, String)] = [
            ("Cancel", #"{}"#, "id: it is needed"),
            ("Cancel", #"{"id": 1, "filter": {}}"#, "filter: `id` is given as well"),
            ("Cancel", #"{"id": 1, "reclassify": true}"#, "reclassify: no such parameter"),
            (
                "Retry", #"{"filter": {"key": "k"}}"#,
                "filter: a key names one operation: give its `id`"
            ),
            ("Retry", #"{"id": "1"}"#, "id: a whole number is needed"),
            ("Retry", #"{"filter": {"quue": "a"}}"#, "quue: no such parameter"),
        ]
        for (method, json, reason) in cases {
            let call = #"{"method":"io.retryd.\#(method)","parameters":\#(json)}"#
            try client.send(bytes: Array(call.utf8) + [0])
            let answer = try client.receive()
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            let parameter = answer["parameter"].string ?? ""
            #expect("\(parameter): \(answer["reason"].string ?? "")" == reason)
        }
    }
}
