import Support
import SystemKit
import Testing

/// New configuration and rules: all of it or, with the reason, none.
@Suite
struct ConfigurationTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    private static let newRule = """
        [[rule]]
        name = "new-rule"
        phase = "verdict"
        when.strange = "new"
        then = { decision = "retry", applied = "no" }
        [[rule.test]]
        failure.strange = "new"
        """

    @Test
    func reloadPutsRulesAndPoliciesInForce() throws {
        let before = try client.succeed("Status")
        try daemon.write(ConfigurationTests.newRule, to: "rules.d/new.toml")
        try daemon.write(
            "[policy.later]\ninitial = \"2h\"\nmax = \"2h\"\n", to: "retryd.toml.d/a.toml")
        let answer = try client.succeed("Reload")
        #expect(answer["rules"].integer == (before["rules"].integer ?? 0) + 1)
        #expect(answer["rules_hash"] != before["rules_hash"])
        let submitted = try client.succeed(
            "Submit",
            ["operation": ["queue": "mail", "policy": "later"], "failure": ["strange": "new"]])
        #expect(submitted["decision"]["rule"] == "new-rule")
        #expect(submitted["decision"]["policy"] == "later")
        #expect(submitted["decision"]["delay_ms"] == 7_200_000)
    }

    @Test
    func aSignalReloadsToo() throws {
        let before = try client.succeed("Status")["rules"].integer ?? 0
        try daemon.write(ConfigurationTests.newRule, to: "rules.d/new.toml")
        daemon.send(.hangUp)
        try daemon.awaitError("New configuration is in force, with \(before + 1) rules")
        #expect(try client.succeed("Status")["rules"].integer == before + 1)
    }

    @Test(arguments: [
        (
            "retryd.toml.d/bad.toml", "[limits]\n\npayload-siz = \"1M\"\n", 3, 1,
            "payload-size"
        ),
        ("retryd.toml.d/bad.toml", "[limits\n", 1, 8, ""),
        ("rules.d/bad.toml", "[[rule]]\nname = \"x\"\nphas = \"body\"\n", 3, 1, "phas"),
        ("rules.d/bad.toml", "[[rule]]\nname = \n", 2, 8, ""),
    ])
    func aBrokenFileChangesNothingAndIsNamed(
        file: String, text: String, line: Int64, column: Int64, hint: String
    ) throws {
        let before = try client.succeed("Status")
        try daemon.write(text, to: file)
        let path = "\(daemon.configuration)/\(file)"
        let answer = try client.call("Reload")
        #expect(answer.error == "io.retryd.ConfigurationRefused")
        #expect(answer["file"].string == path)
        #expect(answer["line"].integer == line)
        #expect(answer["column"].integer == column)
        let reason = try #require(answer["reason"].string)
        #expect(reason.contains(hint), "\(reason)")
        daemon.send(.hangUp)
        try daemon.awaitError("Configuration refused, nothing changed: \(path):\(line):\(column): ")
        let after = try client.succeed("Status")
        #expect(after["rules_hash"] == before["rules_hash"])
        #expect(after["rules"] == before["rules"])
        // What was in force serves on.
        #expect(
            try client.succeed("Submit", .submit(["queue": "mail"]))["decision"]["rule"]
                == "test-retry")
        // And with it the daemon does not start, and says the same.
        daemon.stop()
        #expect(throws: Failure.self) { try daemon.start() }
        try daemon.awaitError("\(path):\(line):\(column): ")
    }

    @Test
    func aPolicyThatVanishedIsDefaultFromThenOn() throws {
        try daemon.write(
            Scenario.settings + "[policy.rare]\ninitial = \"1h\"\nmax = \"1h\"\n",
            to: "retryd.toml")
        try client.succeed("Reload")
        let id = try client.submit(["queue": "mail", "policy": "rare"])
        let due = try client.summary(id)["due_usec"]
        try daemon.write(
            "[policy.default]\ninitial = \"1s\"\nmax = \"1s\"\njitter = \"none\"\n",
            to: "retryd.toml")
        try client.succeed("Reload")
        // A decision made stays, and its policy keeps its name.
        #expect(try client.summary(id)["due_usec"] == due)
        #expect(try client.summary(id)["policy"] == "rare")
        let refused = try client.call("Submit", .submit(["queue": "mail", "policy": "rare"]))
        #expect(refused.error == "org.varlink.service.InvalidParameter")
        #expect(refused["parameter"] == "policy")
        try client.succeed("Retry", ["id": .integer(id)])
        let report = try client.succeed("Report", .failed(try client.lease()))
        #expect(report["decision"]["policy"] == "default")
        #expect(report["decision"]["delay_ms"] == 1_000)
        try daemon.restart()
        #expect(try daemon.connect().summary(id)["policy"] == "default")
    }

    /// The rule decides; of policies that of the operation counts, and somebody is told.
    @Test
    func aRuleThatNamesNoKnownPolicyIsWarnedAbout() throws {
        try daemon.write(
            "[[rule]]\nname = \"odd\"\nwhen.http.status = 418\n"
                + "then = { decision = \"retry\", policy = \"slwo\", applied = \"no\" }\n",
            to: "rules.d/odd.toml")
        try client.succeed("Reload")
        let told = try client.succeed(
            "Submit", ["operation": ["queue": "q"], "failure": ["http": ["status": 418]]])
        #expect(told["decision"]["rule"] == "odd")
        #expect(told["decision"]["policy"] == "default")
        daemon.stop()
        let reason = "rule 'odd' names a policy 'slwo', which is defined nowhere"
        try daemon.awaitError(reason)
    }

    @Test
    func limitsTakeEffectAtOnce() throws {
        let large = Value.string(String(repeating: "x", count: 2 << 20))
        let small = Value.string(String(repeating: "x", count: 2_000))
        try daemon.write(
            Scenario.settings + "[limits]\npayload-size = \"3M\"\n", to: "retryd.toml")
        try client.succeed("Reload")
        // Longer messages than before are taken from new connections.
        let fresh = try daemon.connect()
        let id = try fresh.submit(["queue": "mail", "payload": large, "policy": "slow"])
        #expect(try fresh.succeed("Get", ["id": .integer(id)])["payload"] == large)
        try daemon.write(
            Scenario.settings + "[limits]\npayload-size = \"1K\"\noperations = 1\n",
            to: "retryd.toml")
        try client.succeed("Reload")
        #expect(
            try client.call("Submit", .submit(["queue": "mail", "payload": small]))["parameter"]
                == "payload")
        #expect(
            try client.call("Submit", .submit()).error == "io.retryd.QuotaExceeded")
    }

    @Test
    func theJournalLevelTakesEffect() throws {
        _ = try client.submit(["queue": "mail", "policy": "slow"])
        #expect(!daemon.errors.contains("Signal network"))
        try daemon.write(
            Scenario.settings + "[journal]\nlevel = \"err\"\n", to: "retryd.toml")
        try client.succeed("Reload")
        try client.succeed("SetSignal", ["signal": "network", "on": true])
        try daemon.write(Scenario.settings, to: "retryd.toml")
        try client.succeed("Reload")
        try client.succeed("SetSignal", ["signal": "network", "on": false])
        try daemon.awaitError("Signal network off")
        #expect(!daemon.errors.contains("Signal network on"), "\(daemon.errors)")
    }

    @Test
    func aNewWorkerGetsWhatWaitedForHim() throws {
        guard BuiltProgram.isRoot else { return }
        let ann = try ClientProcess(daemon, user: 4_242)
        let ben = try ClientProcess(daemon, user: 4_243)
        let id = try ann.client.submit(["queue": "shared"])
        try ann.client.await(id, "ready")
        try ben.client.send("Lease", ["queues": ["shared"], "wait_ms": 20_000])
        #expect(try ben.client.next(timeoutMs: 300) == nil)
        try daemon.write(
            Scenario.settings + "[queue.shared]\nworkers = [4243]\n", to: "retryd.toml")
        try client.succeed("Reload")
        #expect(try ben.client.receive()["operations"][0]["id"].integer == id)
    }
}
