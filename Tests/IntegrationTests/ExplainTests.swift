import Support
import Testing

/// Classify, Explain and Rules: what the daemon says of failures nobody hands over.
@Suite
struct ExplainTests {
    @Test
    func nothingIsStored() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let judged = try client.succeed("Classify", ["failure": ["test": "retry"]])
        #expect(judged["disposition"] == "retry")
        #expect(judged["rule"] == "test-retry")
        #expect(judged["file"] == .string("\(daemon.configuration)/rules.d/test.toml"))
        #expect(judged["policy"] == "default")
        #expect(judged["evidence"] == .null)
        #expect(try client.list().isEmpty)
    }

    @Test
    func circumstancesAreThoseOfTheCall() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        func judge(_ more: [String: Value]) throws -> Value {
            try client.succeed("Classify", Value.object(["failure": [:]]).with(more))
        }
        #expect(try judge([:])["disposition"] == "permanent")
        #expect(try judge(["unknown": "retry"])["note"] == "unknown-retried")
        #expect(try judge(["unknown": "retry", "attempt": 20])["cause"] == "attempts-exhausted")
        #expect(try judge(["unknown": "retry", "policy": "slow"])["policy"] == "slow")
        let dated: Value = [
            "http": ["status": 429, "headers": ["Retry-After": "Sun, 01 Mar 2026 12:01:00 GMT"]]
        ]
        let wait = try judge(["failure": dated, "at_usec": 1_772_366_400_000_000])
        #expect(wait["retry_after_s"].number == 60)
        for (parameters, name) in [
            (["attempt": 0], "attempt"), (["policy": "slwo"], "policy"),
            (["language": "de"], "language"), (["scope": 1], "scope"),
        ] as [([String: Value], String)] {
            let answer = try client.call(
                "Classify", Value.object(["failure": [:]]).with(parameters))
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            #expect(answer["parameter"] == .string(name))
        }
    }

    @Test
    func explainingTellsHowAndWhatWouldHold() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let held = try client.submit(["queue": "mail", "credential": "c"], "reauthenticate")
        #expect(try client.state(held) == "held")
        let told = try client.succeed(
            "Explain",
            [
                "failure": ["test": "retry when-foreground"], "credential": "c",
                "scope": "app:editor", "language": "de_AT.UTF-8", "policy": "slow",
            ])
        #expect(told["condition"] == "when-foreground")
        #expect(told["considered"].elements.last?["mismatch"] == .null)
        #expect(
            told["evidence"].elements.contains([
                "path": "test", "value": "'retry when-foreground'",
            ]))
        #expect(told["messages"]["language"] == "de")
        #expect(told["messages"]["title"] == "Es wartet auf Sie")
        #expect(
            told["holds"] == [
                ["signal": "credential:c", "on": false, "waiting": 1],
                ["signal": "foreground app:editor", "on": false, "waiting": 0],
            ])
        #expect(told["schedule"]["attempts"].elements.count == 7)
        #expect(told["schedule"]["attempts"][0]["attempt"].integer == 2)
        let plain = try client.succeed(
            "Explain", ["failure": ["test": "permanent introspect-cause"]])
        #expect(plain["messages"] == .null)
        #expect(plain["schedule"] == .null)
    }

    @Test
    func rulesInForceAreListedAndShown() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let rules = try client.succeed("Rules")["rules"].elements
        #expect(rules.first?["name"] == "test-retry")
        #expect(rules.count > 200)
        #expect(rules[0]["when"] == .null)
        let one = try client.succeed("Rules", ["name": "http-throttled"])["rules"].elements
        #expect(one.count == 1)
        #expect(one[0]["when"] == [["http.status is 429"]])
        #expect(one[0]["decision"] == "retry")
        #expect(try client.succeed("Rules", ["name": "no-such-rule"])["rules"] == [])
    }

    /// What is no failure document is told so, or refused by name; the daemon goes on.
    @Test
    func unfitDocumentsHarmNothing() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        for failure: Value in [1, "x", [1, 2], true] {
            let judged = try client.succeed("Classify", ["failure": failure])
            #expect(judged["note"] == "not-an-object")
            #expect(judged["action"] == "introspect-cause")
            let submitted = try client.call(
                "Submit", ["operation": ["queue": "q"], "failure": failure])
            #expect(submitted.error == "org.varlink.service.InvalidParameter")
            #expect(submitted["parameter"] == "failure")
        }
        let long = Value.string(String(repeating: "a", count: 200_000))
        let refused = try client.call(
            "Submit", ["operation": ["queue": "q"], "failure": ["message": long]])
        #expect(refused.error == "org.varlink.service.InvalidParameter")
        #expect(refused["reason"].string?.contains("131072") == true)
        let wrong: Value = [
            "http": ["status": ["a": 1], "headers": 7, "body": [[["x"]]]], "request": "GET",
            "process": [1], "errno": ["name": 5, "number": "x"], "nserror": ["code": "x"],
            "received_at": ["y"], "oauth": ["error": false], "grpc": ["details": 1],
        ]
        let kept = try client.succeed("Submit", ["operation": ["queue": "q"], "failure": wrong])
        #expect(kept["decision"]["action"] == "introspect-cause")
        var nested: Value = 1
        for _ in 0..<80 { nested = ["underlying": nested] }
        let deep = try daemon.connect()
        try deep.send("Submit", ["operation": ["queue": "q"], "failure": ["nserror": nested]])
        #expect(try deep.receive().error == "org.varlink.service.InvalidParameter")
        for text in ["1e999999", "123456789012345678901234567890", "\"\u{1}\""] {
            let broken = try daemon.connect()
            let call = #"{"method":"io.retryd.Classify","parameters":{"failure":{"a":\#(text)}}}"#
            try broken.send(bytes: Array(call.utf8) + [0])
            let answer = try broken.receive()
            #expect(answer.error == "org.varlink.service.InvalidParameter", "\(text)")
        }
        let bytes = try daemon.connect()
        let head = #"{"method":"io.retryd.Classify","parameters":{"failure":{"a":""#
        try bytes.send(bytes: Array(head.utf8) + [0xC3, 0x28] + Array("\"}}}\0".utf8))
        #expect(try bytes.receive().error == "org.varlink.service.InvalidParameter")
        #expect(try client.succeed("Status")["store"] == "serving")
    }
}
