import Support
import SystemKit
import Testing

/// A refused sign-in holds exactly what uses it, is told once, and its renewal lets it go on.
@Suite
struct CredentialTests {
    private func operation(_ credential: String, _ more: [String: Value] = [:]) -> Value {
        Value.object(["queue": "api", "credential": .string(credential)]).with(more)
    }

    /// As the token endpoint says it (RFC 6749 section 5.2), decided by the shipped rules.
    private let invalidGrant: Value = [
        "http": ["status": 400, "body": ["error": "invalid_grant"]],
        "oauth": ["endpoint": "token", "grant_type": "refresh_token"],
    ]

    private func failed(_ leased: Value, _ failure: Value) -> Value {
        [
            "id": leased["id"], "token": leased["token"], "outcome": "failed", "failure": failure,
        ]
    }

    private func leaseAll(_ client: WireClient, max: Int64 = 10) throws -> [Value] {
        try client.succeed("Lease", ["queues": ["api"], "max": .integer(max)])["operations"]
            .elements
    }

    /// Three of one sign-in and one of another: the refusal of the first holds its three, the
    /// fourth runs.
    @Test
    func oneRefusalHoldsTheThreeThatUseItAndNoOther() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let handler = try daemon.connect()
        try handler.send("Watch", ["role": "handler"], .more)
        #expect(try handler.receive()["event"] == "settled")
        let alice = try (0..<3).map { _ in try client.submit(operation("alice")) }
        let bob = try client.submit(operation("bob"))
        for id in alice + [bob] { try client.await(id, "ready") }

        let leased = try client.lease("api")
        #expect(leased["credential_generation"].integer == 0)
        let answer = try client.succeed("Report", failed(leased, invalidGrant))
        #expect(answer["decision"]["disposition"] == "reauthenticate")
        #expect(answer["state"] == "held")
        #expect(try alice.map(client.state) == ["held", "held", "held"])
        for id in alice {
            let why = try client.why(id)
            #expect(why["primary"]["code"] == "credential-held")
            #expect(why["primary"]["signal"] == "credential:alice")
        }
        // What was refused is never sent again before the renewal.
        let running = try leaseAll(client)
        #expect(running.map { $0["id"].integer } == [bob])
        try client.succeed("Report", .succeeded(running[0]))

        // Told once, however many it holds.
        let notice = try handler.receive()
        #expect(notice["event"] == "credential-held")
        #expect(notice["signal"] == "credential:alice")
        #expect(try handler.next(timeoutMs: 200) == nil)
        let signals = try client.succeed("ListSignals")["signals"].elements
        let own = signals.first { $0["signal"] == "credential:alice" }
        #expect(own?["waiting"].integer == 3)

        let renewed = try client.succeed(
            "SetSignal", ["signal": "credential:alice", "on": true])
        #expect(renewed["released"].integer == 3)
        for id in alice { try client.await(id, "ready") }
        let again = try leaseAll(client)
        #expect(again.count == 3)
        #expect(again.allSatisfy { $0["credential_generation"].integer == 1 })

        // And once in the journal, which is written when it has ended.
        daemon.stop()
        let notices = daemon.errors.split(separator: "\n").filter { $0.contains("Sign-in alice") }
        #expect(notices.count == 1, "\(daemon.errors)")
        #expect(notices.first?.contains("refused: 3 operations wait for its renewal") == true)
    }

    /// An attempt that began before the renewal fails with the old sign-in: that says nothing
    /// about the new one.
    @Test
    func aRefusalFromBeforeTheRenewalHoldsNothing() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let one = try client.submit(operation("alice"))
        let two = try client.submit(operation("alice"))
        try client.await(one, "ready")
        try client.await(two, "ready")
        let old = try leaseAll(client)
        try #require(old.count == 2)
        try client.succeed("Report", failed(old[0], invalidGrant))
        try client.succeed("SetSignal", ["signal": "credential:alice", "on": true])
        let late = try client.succeed("Report", failed(old[1], invalidGrant))
        #expect(late["state"] != "held")
        try client.await(two, "ready")
        let signals = try client.succeed("ListSignals")["signals"].elements
        #expect(signals.first { $0["signal"] == "credential:alice" }?["on"] == true)
        // One that began after it does.
        let fresh = try leaseAll(client)
        #expect(fresh.count == 2)
        let refused = try client.succeed("Report", failed(fresh[1], invalidGrant))
        #expect(refused["state"] == "held")
    }

    @Test
    func theSameNameOfAnotherOwnerIsAnotherSignIn() throws {
        guard BuiltProgram.isRoot else { return }
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let ann = try ClientProcess(daemon, user: 4_242)
        let hers = try ann.client.submit(operation("shared"))
        let mine = try client.submit(operation("shared"), "reauthenticate")
        #expect(try client.state(mine) == "held")
        try ann.client.await(hers, "ready")
    }

    @Test
    func aRefusalOutlastsARestart() throws {
        let daemon = try Scenario.started()
        var client = try daemon.connect()
        let one = try client.submit(operation("alice"), "reauthenticate")
        let two = try client.submit(operation("alice"))
        daemon.kill()
        try daemon.start()
        client = try daemon.connect()
        #expect(try [one, two].map(client.state) == ["held", "held"])
        let handler = try daemon.connect()
        try handler.send("Watch", ["role": "handler"], .more)
        #expect(try handler.receive()["signal"] == "credential:alice")
    }

    /// The owner's next attempt gets the nonce the server sent (RFC 9449 section 8), once; then
    /// the failure surfaces.
    @Test
    func aFreshNonceIsHandedOutOnce() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        func failure(_ nonce: String) -> Value {
            [
                "http": [
                    "status": 400, "headers": ["dPoP-Nonce": .string(nonce)],
                    "body": ["error": "use_dpop_nonce"],
                ]
            ]
        }
        let id = try client.succeed(
            "Submit", ["operation": ["queue": "api"], "failure": failure("n-1")])["id"]
        let first = try client.lease("api")
        #expect(first["id"] == id)
        #expect(first["dpop_nonce"] == "n-1")
        #expect(first["credential_generation"] == .null)
        let answer = try client.succeed("Report", failed(first, failure("n-2")))
        #expect(answer["state"] == "dead")
        #expect(answer["decision"]["action"] == "introspect-cause")
        try client.succeed("Retry", ["id": id])
        let revived = try client.lease("api")
        #expect(revived["dpop_nonce"] == "n-2")
        try client.succeed("Report", .failed(revived))
        // It fails otherwise: that nonce is used up.
        #expect(try client.lease("api")["dpop_nonce"] == .null)
    }
}
