import Support
import Testing

/// The same failure told twice, by a listener and by the caller, is told once (event_id).
@Suite
struct ToldTwiceTests {
    private func submit(
        _ event: String, _ meaning: String = "retry", queue: String = "mail"
    ) -> Value {
        [
            "operation": ["queue": .string(queue), "policy": "slow"],
            "failure": ["test": .string(meaning), "event_id": .string(event)],
        ]
    }

    private func history(_ client: WireClient, _ id: Value) throws -> [Value] {
        try client.succeed("History", ["id": id])["attempts"].elements
    }

    @Test
    func byTwoSubmits() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let first = try client.succeed("Submit", submit("e", "new-flow"))
        #expect(first["duplicate"] == false)
        let second = try client.succeed("Submit", submit("e", queue: "other"))
        #expect(second["duplicate"] == true)
        #expect(second["existing"] == true)
        #expect(second["id"] == first["id"])
        #expect(second["decision"] == first["decision"])
        #expect(try client.list().count == 1)
        let rows = try history(client, first["id"])
        #expect(rows.map { $0["outcome"].string } == ["failed", "duplicate"])
        #expect(rows[1]["failure"]["test"] == "retry")
        #expect(rows[1]["decision"] == .null)
    }

    /// The caller reports, then its listener submits.
    @Test
    func byReportThenSubmit() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        let leased = try client.lease()
        let reported = try client.succeed(
            "Report", .failed(leased, "new-flow", failure: ["event_id": "e"]))
        #expect(reported["duplicate"] == false)
        let told = try client.succeed("Submit", submit("e"))
        #expect(told["duplicate"] == true)
        #expect(told["id"].integer == id)
        #expect(told["decision"] == reported["decision"])
        #expect(
            try history(client, .integer(id)).map { $0["outcome"].string }
                == ["failed", "failed", "duplicate"])
    }

    /// The listener submits first, as an operation of its own; the caller's attempt ends by its
    /// report all the same, and is decided once.
    @Test
    func bySubmitThenReportOfAnother() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        let leased = try client.lease()
        let told = try client.succeed("Submit", submit("e", "new-flow", queue: "listener"))
        #expect(told["duplicate"] == false)
        let report = Value.failed(leased, "new-flow", failure: ["event_id": "e"])
        let reported = try client.succeed("Report", report)
        #expect(reported["duplicate"] == true)
        #expect(reported["id"].integer == id)
        #expect(reported["state"] == "parked")
        #expect(reported["decision"]["rule"] == told["decision"]["rule"])
        // A second time it is stale: the attempt was decided.
        #expect(try client.call("Report", report).error == "io.retryd.StaleLease")
        let summary = try client.summary(id)
        #expect(summary["attempts"].integer == 2)
        // The event stays that of the first teller.
        let third = try client.succeed("Submit", submit("e"))
        #expect(third["id"] == told["id"])
    }

    @Test
    func acrossARestart() throws {
        let daemon = try Scenario.started()
        var client = try daemon.connect()
        let submitted = try client.succeed("Submit", submit("one", "new-flow"))
        let other = try client.submit(["queue": "api"])
        let leased = try client.lease("api")
        let report = Value.failed(leased, "new-flow", failure: ["event_id": "two"])
        let reported = try client.succeed("Report", report)
        daemon.kill()
        try daemon.start()
        client = try daemon.connect()
        let first = try client.succeed("Submit", submit("one"))
        #expect(first["duplicate"] == true)
        #expect(first["id"] == submitted["id"])
        #expect(first["decision"] == submitted["decision"])
        let second = try client.succeed("Submit", submit("two"))
        #expect(second["duplicate"] == true)
        #expect(second["id"].integer == other)
        #expect(second["decision"] == reported["decision"])
        let again = try client.succeed("Report", report)
        #expect(again["duplicate"] == true)
        #expect(again["decision"] == reported["decision"])
        #expect(try client.list().count == 2)
    }

    @Test
    func anEventIsTheOwners() throws {
        guard BuiltProgram.isRoot else { return }
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let ann = try ClientProcess(daemon, user: 4_242)
        #expect(try client.succeed("Submit", submit("e"))["duplicate"] == false)
        #expect(try ann.client.succeed("Submit", submit("e"))["duplicate"] == false)
    }

    @Test
    func byOneSubmitOfMany() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let results = try client.succeed(
            "SubmitMany", ["items": [submit("e"), submit("f"), submit("e")]])["results"].elements
        #expect(
            results.map { $0["submitted"]["duplicate"] } == [false, false, true])
        #expect(results[2]["submitted"]["id"] == results[0]["submitted"]["id"])
    }
}
