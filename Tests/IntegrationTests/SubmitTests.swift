import JSON
import Support
import SystemKit
import Testing

/// Submit: what is taken, what is answered, what is refused and by which name.
@Suite
struct SubmitTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    @Test
    func tellsWhatTheFailureMeansAndWhenItIsTriedAgain() throws {
        let before = Clocks.realtimeUsec()
        let answer = try client.succeed(
            "Submit", .submit(["queue": "mail", "policy": "slow"]))
        #expect(answer["id"] == 1)
        #expect(answer["state"] == "scheduled")
        #expect(answer["existing"] == false)
        #expect(answer["duplicate"] == false)
        let decision = answer["decision"]
        #expect(decision["disposition"] == "retry")
        #expect(decision["condition"] == "now")
        #expect(decision["action"] == .null)
        #expect(decision["rule"] == "test-retry")
        #expect(decision["policy"] == "slow")
        #expect(decision["outcome"] == "waiting")
        #expect(decision["clamped"] == false)
        let due = try #require(answer["due_usec"].integer)
        #expect(answer["due"].integer == due)
        #expect(decision["due_usec"].integer == due)
        let hourUsec: Int64 = 3_600_000_000
        #expect(due >= before + hourUsec && due <= Clocks.realtimeUsec() + hourUsec, "\(due)")
        #expect(decision["delay_ms"] == 3_600_000)
    }

    @Test
    func eachMeaningHasItsPlace() throws {
        let cases: [(meaning: String, expected: [String?])] = [
            ("permanent introspect-cause", ["dead", "permanent", "dead", "permanent"]),
            ("new-flow", ["parked", "new-flow", "parked", "new-flow"]),
            ("reauthenticate", ["parked", "reauthenticate", "parked", "reauthenticate"]),
            ("retry when-foreground", ["held", "retry", "waiting", nil]),
            ("retry custom:door", ["held", "retry", "waiting", nil]),
        ]
        for (meaning, expected) in cases {
            let answer = try client.succeed("Submit", .submit(["queue": "mail"], meaning))
            let decision = answer["decision"]
            let told = [
                answer["state"], decision["disposition"], decision["outcome"], decision["cause"],
            ]
            #expect(told.map(\.string) == expected, "\(meaning)")
        }
    }

    @Test
    func aFailureThatNobodyKnowsIsGivenUpUnlessTheSubmitterWantsItRetried() throws {
        let given = try client.succeed(
            "Submit", ["operation": ["queue": "mail"], "failure": ["strange": 1]])
        #expect(given["state"] == "dead")
        #expect(given["decision"]["rule"] == .null)
        #expect(given["decision"]["action"] == "introspect-cause")
        let retried = try client.succeed(
            "Submit",
            ["operation": ["queue": "mail", "unknown": "retry"], "failure": ["strange": 1]])
        #expect(retried["decision"]["disposition"] == "retry")
        let nothing = try client.succeed("Submit", ["operation": ["queue": "mail"]])
        #expect(nothing["state"] == "dead")
    }

    /// Everything an operation can have, as List and the worker see it.
    @Test
    func whatWasHandedOverIsHandedOut() throws {
        let deadline = Clocks.realtimeUsec() + 60_000_000
        let operation: Value = [
            "queue": "mail", "kind": "custom", "key": "k ü1",
            "payload": ["a": [1, .double(2.5), "x"]],
            "scope": "app:mailer", "destination": "mx.example", "credential": "oauth:ann",
            "policy": "default", "priority": -7, "tags": ["one", "two \"quoted\""],
            "deadline_usec": .integer(deadline), "idempotent": true,
        ]
        let id = try client.submit(operation)
        let leased = try client.lease()
        #expect(leased["id"].integer == id)
        for name in ["queue", "kind", "key", "payload", "scope", "destination", "credential"] {
            #expect(leased[name] == operation[name], "\(name)")
        }
        for name in ["priority", "tags", "deadline_usec", "idempotent"] {
            #expect(leased[name] == operation[name], "\(name)")
        }
        #expect(leased["payload_base64"] == .null)
        #expect(leased["attempt"] == 2)
        #expect(leased["recoveries"] == 0)
        #expect(leased["owner_uid"].integer == Int64(Credentials.effectiveUser))
        #expect(leased["owner_gid"].integer == Int64(Credentials.effectiveGroup))
        #expect(leased["failure"] == ["test": "retry"])
        let summary = try client.summary(id)
        for name in ["key", "queue", "kind", "scope", "destination", "credential", "tags"] {
            #expect(summary[name] == operation[name], "\(name)")
        }
        #expect(summary["state"] == "leased")
        #expect(summary["priority"] == -7)
        #expect(summary["policy"] == "default")
        #expect(summary["attempts"] == 1)
    }

    @Test
    func payloadsComeBackInTheFormTheyWereGiven() throws {
        let cases: [(json: String, base64: String?)] = [
            (#""text with \u0000 and \"quotes\" and €""#, nil),
            (#""""#, nil), ("17", nil), ("[null,true,1.5]", nil), ("{}", nil),
            ("null", "AP8AgA=="), ("null", ""), ("null", nil),
        ]
        let parser = JSONParser(lengthMax: 1_000, depthMax: 8)
        for (json, base64) in cases {
            let payload = Value(try parser.parse(Array(json.utf8)))
            let encoded = base64.map(Value.string) ?? .null
            _ = try client.submit([
                "queue": "mail", "payload": payload, "payload_base64": encoded,
            ])
            let leased = try client.lease()
            #expect(leased["payload"] == payload)
            #expect(leased["payload_base64"] == encoded)
            let got = try client.succeed("Get", ["id": leased["id"]])
            #expect(got["payload"] == payload)
            #expect(got["payload_base64"] == encoded)
        }
    }

    @Test
    func secretsAreRemovedBeforeAnythingIsStored() throws {
        let failure: Value = [
            "test": "retry",
            "http": ["status": 503, "headers": ["Authorization": "Bearer abc-secret"]],
        ]
        _ = try client.succeed("Submit", ["operation": ["queue": "mail"], "failure": failure])
        let leased = try client.lease()
        #expect(!leased["failure"].text.contains("abc-secret"), "\(leased["failure"].text)")
        #expect(leased["failure"]["http"]["status"] == 503)
        daemon.stop()
        for name in try Files.list(daemon.state) {
            let bytes = try Files.readAll("\(daemon.state)/\(name)", bytesMax: 64 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("abc-secret"), "in \(name)")
        }
    }

    // MARK: Refusals

    @Test
    func whatDoesNotFitIsRefusedByItsName() throws {
        let cases: [(String, String)] = [
            (#"{}"#, "operation: it is needed"),
            (#"{"operation": 1}"#, "operation: an object is needed"),
            (#"{"operation": {}}"#, "queue: it is needed"),
            (#"{"operation": {"queue": "a"}, "faliure": {}}"#, "faliure: no such parameter"),
            (#"{"operation": {"queue": "a", "prio": 1}}"#, "prio: no such parameter"),
            (#"{"operation": {"queue": "a"}, "failure": "x"}"#, "failure: an object is needed"),
            (#"{"operation": {"queue": ""}}"#, "queue: it is empty"),
            (#"{"operation": {"queue": "a\u001b[2J"}}"#, "queue: it holds control characters"),
            (#"{"operation": {"queue": "a", "key": ""}}"#, "key: it is empty"),
            (
                #"{"operation": {"queue": "a", "key_mode": "x"}}"#,
                "key_mode: one of keep, replace, coalesce is needed"
            ),
            (
                #"{"operation": {"queue": "a", "kind": "x"}}"#,
                "kind: one of custom, command, unit, http is needed"
            ),
            (
                #"{"operation": {"queue": "a", "kind": "http"}}"#,
                "queue: kind http belongs to queue `http`"
            ),
            (
                #"{"operation": {"queue": "http", "kind": "custom"}}"#,
                "queue: `http` is reserved for kind http"
            ),
            (
                #"{"operation": {"queue": "a", "priority": 101}}"#,
                "priority: from -100 to 100, not 101"
            ),
            (
                #"{"operation": {"queue": "a", "policy": "none"}}"#,
                "policy: no policy `none`; there are default, slow"
            ),
            (
                #"{"operation": {"queue": "a", "scope": "me"}}"#,
                "scope: `user:UID` or `app:NAME`, not `me`"
            ),
            (
                #"{"operation": {"queue": "a", "payload": "x", "payload_base64": "eA=="}}"#,
                "payload_base64: `payload` is given as well"
            ),
            (
                #"{"operation": {"queue": "a", "payload_base64": "e"}}"#,
                "payload_base64: it is not base64 (RFC 4648)"
            ),
            (
                #"{"operation": {"queue": "a"}, "failure": {"event_id": ""}}"#,
                "failure: `event_id` must be a string of 1 to 512 bytes"
            ),
            (#"{"operation": {"kind": "command"}}"#, ""),
            (
                #"{"operation": {"queue": "a", "unknown": "maybe"}}"#,
                "unknown: one of permanent, retry is needed"
            ),
            (
                #"{"operation": {"queue": "a", "deadline_usec": -1}}"#,
                "deadline_usec: from 0 to 253402300799999999, not -1"
            ),
        ]
        for (json, reason) in cases {
            let call = #"{"method":"io.retryd.Submit","parameters":\#(json)}"#
            try client.send(bytes: Array(call.utf8) + [0])
            let answer = try client.receive()
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            let parameter = answer["parameter"].string ?? ""
            if reason.isEmpty {
                #expect(parameter == "payload")
            } else {
                #expect("\(parameter): \(answer["reason"].string ?? "")" == reason)
            }
            #expect(try client.list() == [])
        }
    }

    @Test
    func whatIsTooLongIsRefused() throws {
        let limit = 256 * 1_024
        func refusal(_ operation: Value, _ failure: Value = [:]) throws -> String {
            let answer = try client.call(
                "Submit", ["operation": operation, "failure": failure])
            return "\(answer.error ?? "none") \(answer["parameter"].string ?? "")"
        }
        let fits = Value.string(String(repeating: "x", count: limit))
        _ = try client.submit(["queue": "mail", "payload": fits])
        let name = "org.varlink.service.InvalidParameter"
        let long = Value.string(String(repeating: "x", count: limit + 1))
        #expect(try refusal(["queue": "mail", "payload": long]) == "\(name) payload")
        let document = Value.string(String(repeating: "x", count: 128 * 1_024))
        #expect(try refusal(["queue": "mail"], ["message": document]) == "\(name) failure")
        let tags = Value.array(Array(repeating: "t", count: 33))
        #expect(try refusal(["queue": "mail", "tags": tags]) == "\(name) tags")
        let tag = Value.array([.string(String(repeating: "t", count: 256))])
        #expect(try refusal(["queue": "mail", "tags": tag]) == "\(name) tags")
        let key = Value.string(String(repeating: "k", count: 513))
        #expect(try refusal(["queue": "mail", "key": key]) == "\(name) key")
        #expect(try client.list().count == 1)
    }
}
