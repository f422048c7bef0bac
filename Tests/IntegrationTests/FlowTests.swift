import Support
import Testing

/// What HAAPI's and Facebook's SDKs ask for, from the failure to the end, by the shipped rules.
@Suite
struct FlowTests {
    private func submit(
        _ client: WireClient, _ failure: Value, _ more: [String: Value] = [:]
    ) throws -> Value {
        let operation = Value.object(["queue": "flow"]).with(more)
        return try client.succeed("Submit", ["operation": operation, "failure": failure])
    }

    private func haapi(_ members: Value) -> Value { ["haapi": members] }

    // MARK: HAAPI

    @Test
    func anUnknownHAAPIErrorIsFatal() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        for failure: Value in [
            ["platform": "ios", "case": "somethingNew"],
            ["platform": "react-native", "code": "NEVER_SEEN"],
        ] {
            let told = try submit(client, haapi(failure))
            #expect(told["state"] == "dead")
            #expect(told["decision"]["action"] == "introspect-cause")
        }
    }

    @Test
    func theThreeNonRecoverableActionsAreToldAsTheyAre() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        for (spelt, action): (Value, Value) in [
            ("modifyConfiguration", "modify-configuration"),
            ("INVALID_PLATFORM", "invalid-platform"), ("IntrospectCause", "introspect-cause"),
        ] {
            let failure = haapi(["recovery": ["kind": "unrecoverable", "action": spelt]])
            let told = try submit(client, failure)
            #expect(told["state"] == "dead")
            #expect(told["decision"]["disposition"] == "permanent")
            #expect(told["decision"]["action"] == action)
        }
    }

    /// Waits for the app, goes on, needs a new flow, gets one, ends well: one operation.
    @Test
    func aFlowGoesFromTheForegroundThroughANewFlowToItsEnd() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let told = try submit(
            client,
            haapi([
                "platform": "android", "class": "IdsvrHaapiException.Retryable",
                "condition": "WhenAppForeground",
            ]),
            ["scope": "app:wallet", "key": "sign-in", "payload": "flow-1"])
        #expect(told["state"] == "held")
        #expect(told["decision"]["condition"] == "when-foreground")
        let id = try #require(told["id"].integer)
        try client.succeed(
            "SetSignal", ["signal": "foreground", "scope": "app:wallet", "on": true])
        let first = try client.lease("flow")
        let newFlow: Value = ["haapi": ["recovery": ["kind": "newHaapiFlow"]]]
        let parked = try client.succeed(
            "Report",
            [
                "id": first["id"], "token": first["token"], "outcome": "failed",
                "failure": newFlow,
            ])
        #expect(parked["state"] == "parked")
        #expect(try client.why(id)["primary"]["cause"] == "new-flow")
        let resolved = try client.succeed(
            "Resolve", ["id": .integer(id), "payload": "flow-2"])
        #expect(resolved["state"] == "ready")
        let second = try client.lease("flow")
        #expect(second["id"].integer == id)
        #expect(second["key"] == "sign-in")
        #expect(second["payload"] == "flow-2")
        try client.succeed("Report", .succeeded(second))
        #expect(try client.state(id) == "succeeded")
    }

    // MARK: Graph

    private let transient: Value = [
        "http": ["status": 500, "body": ["error": ["code": 2, "fbtrace_id": "x"]]],
        "request": ["method": "GET"],
    ]

    @Test
    func aTransientGraphErrorIsRetriedOnceByItself() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let told = try submit(client, transient)
        #expect(told["decision"]["rule"] == "graph-transient")
        let leased = try client.lease("flow")
        let again = try client.succeed(
            "Report",
            [
                "id": leased["id"], "token": leased["token"], "outcome": "failed",
                "failure": transient,
            ])
        #expect(again["state"] == "dead")
    }

    @Test
    func recoveryCanBeSwitchedOff() throws {
        let daemon = try Scenario.started(settings: "[rules]\nrecover-automatically = false\n")
        let client = try daemon.connect()
        #expect(try submit(client, transient)["state"] == "dead")
        let other = try Scenario.started()
        let second = try other.connect()
        #expect(
            try submit(second, transient.with(["recovery_disabled": true]))["state"] == "dead")
        #expect(try submit(second, transient.with(["batch": ["size": 3]]))["state"] == "dead")
        #expect(try submit(second, transient.with(["batch": ["size": 1]]))["state"] != "dead")
    }
}
