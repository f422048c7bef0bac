import Support
import Testing

/// Recover and Resolve: what people and owners do about operations.
@Suite
struct RecoverTests {
    private func history(_ client: WireClient, _ id: Int64) throws -> [String?] {
        try client.succeed("History", ["id": .integer(id)])["attempts"].elements.map {
            $0["outcome"].string
        }
    }

    // MARK: Recover

    @Test
    func optionsAreToldInTheCallersLanguage() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit(["queue": "mail"], "new-flow")
        let told = try client.succeed("Recover", ["id": .integer(id), "language": "de-AT"])
        #expect(told["outcome"] == .null)
        #expect(told["state"] == "parked")
        #expect(told["messages"]["title"] == "Neu beginnen")
        #expect(
            told["messages"]["options"] == [
                ["name": "restart", "label": "Neu beginnen", "effect": "retry"],
                ["name": "cancel", "label": "Abbrechen", "effect": "cancel"],
            ])
        #expect(try client.state(id) == "parked")
        let unknown = try client.call("Recover", ["id": .integer(id), "option": "restrat"])
        #expect(unknown.error == "org.varlink.service.InvalidParameter")
        #expect(unknown["reason"] == "no option `restrat`; there are restart, cancel")
    }

    @Test
    func anOptionIsCarriedOutAndTold() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let watcher = try daemon.connect()
        try watcher.send("Watch", [:], .more)
        let id = try client.submit(["queue": "mail"], "new-flow")
        let other = try client.submit(["queue": "mail"], "permanent introspect-cause")
        let retried = try client.succeed("Recover", ["id": .integer(id), "option": "restart"])
        #expect(retried["outcome"] == "retried")
        #expect(retried["state"] == "ready")
        let cancelled = try client.succeed("Recover", ["id": .integer(other), "option": "cancel"])
        #expect(cancelled["outcome"] == "cancelled")
        #expect(cancelled["state"] == "cancelled")
        var outcomes: [Value] = []
        while outcomes.count < 2 {
            let event = try watcher.receive()
            guard event["event"] == "recovered" else { continue }
            outcomes.append([event["operation"]["id"], event["outcome"]])
        }
        #expect(
            outcomes == [[.integer(id), "retried"], [.integer(other), "cancelled"]])
        #expect(try history(client, id) == ["failed", "revived"])
        let late = try client.call("Recover", ["id": .integer(other), "option": "cancel"])
        #expect(late.error == "io.retryd.WrongState")
    }

    @Test
    func signingInReleasesAllThatWaitForIt() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let operation: Value = ["queue": "mail", "credential": "c"]
        let one = try client.submit(operation, "reauthenticate")
        let two = try client.submit(operation, "retry")
        #expect(try [one, two].map(client.state) == ["held", "held"])
        let told = try client.succeed("Recover", ["id": .integer(one)])
        let option = told["messages"]["options"].elements.first { $0["effect"] == "sign-in" }
        let name = try #require(option?["name"])
        let answer = try client.succeed("Recover", ["id": .integer(one), "option": name])
        #expect(answer["outcome"] == "retried")
        try client.await(one, "ready")
        try client.await(two, "ready")
    }

    // MARK: Messages

    @Test
    func textsComeOnlyWhereALanguageIsNamed() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let parameters = Value.submit(["queue": "mail", "policy": "slow"])
        #expect(try client.succeed("Submit", parameters)["messages"] == .null)
        let german = try client.succeed("Submit", parameters.with(["language": "de"]))
        #expect(german["messages"]["title"] == "Es wird noch einmal versucht")
        let id = german["id"]
        #expect(try client.succeed("Get", ["id": id])["messages"] == .null)
        let got = try client.succeed("Get", ["id": id, "language": "fr"])
        #expect(got["messages"]["title"] == "It will be tried again")
        try client.succeed("Retry", ["id": id])
        let reported = try client.succeed(
            "Report", Value.failed(try client.lease(), "new-flow").with(["language": "en"]))
        #expect(reported["messages"]["title"] == "Start over")
    }

    // MARK: Resolve

    @Test
    func aNewFlowGoesOnUnderItsNumberAndKey() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit(
            ["queue": "mail", "key": "k", "payload": "old", "tags": ["t"]], "new-flow")
        let answer = try client.succeed(
            "Resolve", ["id": .integer(id), "payload": ["flow": "new"]])
        #expect(answer["state"] == "ready")
        #expect(answer["decision"] == .null)
        let leased = try client.lease()
        #expect(leased["id"].integer == id)
        #expect(leased["key"] == "k")
        #expect(leased["tags"] == ["t"])
        #expect(leased["payload"] == ["flow": "new"])
        #expect(leased["attempt"].integer == 1)
        #expect(leased["failure"]["test"] == "new-flow")
        #expect(try history(client, id) == ["failed", "resolved"])
        daemon.kill()
        try daemon.start()
        let again = try daemon.connect()
        let details = try again.succeed("Get", ["id": .integer(id)])
        #expect(details["payload"] == ["flow": "new"])
        #expect(details["operation"]["key"] == "k")
    }

    @Test
    func aNewFlowThatFailedIsDecidedByItsFailure() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit(["queue": "mail", "payload": "p"], "new-flow")
        let answer = try client.succeed(
            "Resolve", ["id": .integer(id), "failure": ["test": "retry", "n": 2]])
        #expect(answer["decision"]["rule"] == "test-retry")
        let leased = try client.lease()
        #expect(leased["failure"]["n"].integer == 2)
        #expect(leased["payload"] == "p")
        #expect(leased["attempt"].integer == 2)
        try client.succeed("Report", .failed(leased, "new-flow"))
        let dead = try client.succeed(
            "Resolve", ["id": .integer(id), "failure": ["test": "permanent introspect-cause"]])
        #expect(dead["state"] == "dead")
        let late = try client.call("Resolve", ["id": .integer(id)])
        #expect(late.error == "io.retryd.WrongState")
        #expect(late["state"] == "dead")
    }

    @Test
    func aCommandStaysACommand() throws {
        let daemon = try Scenario.started(settings: "[command]\nallow-users = [\"root\"]\n")
        let client = try daemon.connect()
        let id = try client.submit(
            ["kind": "command", "payload": ["argv": ["true"]]], "new-flow")
        let refused = try client.call("Resolve", ["id": .integer(id), "payload": "true"])
        #expect(refused.error == "org.varlink.service.InvalidParameter")
        #expect(try client.state(id) == "parked")
    }

    @Test
    func anothersOperationsAreNotForTheCaller() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        for method in ["Recover", "Resolve"] {
            let none = try client.call(method, ["id": 4_711])
            #expect(none.error == "io.retryd.NoSuchOperation")
        }
    }
}
