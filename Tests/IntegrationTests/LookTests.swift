import Support
import SystemKit
import Testing

/// Looking at one operation, and at the daemon.
@Suite
struct LookTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    @Test
    func whyTellsOnePrimaryReasonAndTheOthers() throws {
        let id = try client.submit(["queue": "mail", "policy": "slow"])
        let scheduled = try client.why(id)
        #expect(scheduled["state"] == "scheduled")
        #expect(scheduled["primary"]["code"] == "backoff-until")
        #expect(scheduled["primary"]["until_usec"] == (try client.summary(id)["due_usec"]))
        #expect(scheduled["others"] == [])

        let held = try client.submit(
            ["queue": "mail", "policy": "slow"], "retry when-foreground")
        let why = try client.why(held)
        #expect(why["primary"]["code"] == "signal")
        let user = Credentials.effectiveUser
        #expect(why["primary"]["signal"].string == "foreground user:\(user)")
        #expect(why["others"].elements.map { $0["code"] } == ["backoff-until"])

        try client.succeed("Retry", ["id": .integer(id)])
        let ready = try client.why(id)["primary"]
        #expect(ready["code"] == "no-worker")
        #expect(ready["queue"] == "mail")
        #expect(ready["until_usec"] == .null)

        _ = try client.lease()
        let leased = try client.why(id)["primary"]
        #expect(leased["code"] == "leased-by")
        #expect(leased["pid"].integer == Int64(ProcessIdentity.own.process))
        #expect(leased["uid"].integer == Int64(user))

        let dead = try client.why(try client.submit(["queue": "m"], "permanent introspect-cause"))
        #expect(dead["primary"]["code"] == "dead")
        #expect(dead["primary"]["cause"] == "permanent")
        try client.succeed("Cancel", ["id": .integer(id)])
        #expect(try client.why(id)["primary"]["code"] == "ended")
    }

    @Test
    func aDateOfTheServerIsToldAsSuch() throws {
        let failure: Value = [
            "http": [
                "status": 503, "headers": ["Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"],
            ]
        ]
        let answer = try client.succeed(
            "Submit",
            ["operation": ["queue": "mail", "idempotent": true], "failure": failure])
        #expect(answer["decision"]["clamped"] == true)
        let id = try #require(answer["id"].integer)
        let code = try client.why(id)["primary"]["code"].string
        // The last is for a host whose clock nobody sets.
        #expect(["server-said-until", "backoff-until", "clock-untrusted"].contains(code))
        // Clamped to six hours.
        let leftUsec = (answer["due_usec"].integer ?? 0) - Clocks.realtimeUsec()
        #expect(leftUsec > 21_000_000_000 && leftUsec < 24_000_000_000, "\(leftUsec)")
    }

    @Test
    func aReplacedOperationIsToldByItsNewFailure() throws {
        let operation: Value = ["queue": "mail", "key": "k", "payload": "one"]
        let id = try client.submit(operation)
        let leased = try client.lease()
        try client.succeed("Report", .failed(leased, "new-flow", failure: ["message": "old"]))
        let replaced = operation.with([
            "payload": "two", "key_mode": "replace", "policy": "slow",
        ])
        _ = try client.succeed(
            "Submit",
            ["operation": replaced, "failure": ["test": "retry", "message": "new"]])
        let got = try client.succeed("Get", ["id": .integer(id)])
        #expect(got["payload"] == "two")
        #expect(got["failure"]["message"] == "new")
        #expect(got["decision"]["rule"] == "test-retry")
        #expect(got["operation"]["attempts"] == 1)
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "replaced"])
        #expect(history.map { $0["failure"]["message"] } == ["old", "new"])
        // Decided anew it is the new failure that counts.
        try client.succeed("Retry", ["id": .integer(id), "reclassify": true])
        #expect(try client.summary(id)["rule"] == "test-retry")
    }

    @Test
    func theHistoryKeepsTheNewestAttempts() throws {
        let daemon = try Scenario.started(settings: "[retention]\nattempts = 3\n")
        let client = try daemon.connect()
        let id = try client.submit()
        for number in 2...6 {
            try client.succeed(
                "Report",
                .failed(
                    try client.lease(), "retry",
                    failure: ["message": .string("attempt \(number)")]))
        }
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["number"] } == [1, 5, 6])
        #expect(history.map { $0["failure"]["message"] } == [.null, "attempt 5", "attempt 6"])
    }

    @Test
    func getHasTheLastFailureAndDecision() throws {
        let id = try client.submit(["queue": "mail", "payload": ["n": 1]])
        let leased = try client.lease()
        try client.succeed("Report", .failed(leased, "new-flow", failure: ["message": "m"]))
        let got = try client.succeed("Get", ["id": .integer(id)])
        #expect(got["payload"] == ["n": 1])
        #expect(got["failure"] == ["test": "new-flow", "message": "m"])
        #expect(got["decision"]["disposition"] == "new-flow")
        #expect(got["primary"]["code"] == "needs-owner")
        #expect(got["operation"]["cause"] == "new-flow")
    }

    @Test(arguments: ["Get", "Why", "History"])
    func whatIsNotThereIsRefused(method: String) throws {
        let answer = try client.call(method, ["id": 77])
        #expect(answer.error == "io.retryd.NoSuchOperation")
        #expect(answer.parameters == ["id": 77])
        let missing = try client.call(method)
        #expect(missing.error == "org.varlink.service.InvalidParameter")
        #expect(missing["parameter"] == "id")
        let unknown = try client.call(method, ["id": 1, "verbose": true])
        #expect(unknown["parameter"] == "verbose")
    }

    @Test
    func statusTellsHowItStands() throws {
        let soon = try client.submit(["queue": "mail", "policy": "slow"])
        _ = try client.submit(["queue": "mail"], "permanent introspect-cause")
        _ = try client.submit(["queue": "mail"], "retry custom:door")
        let status = try client.succeed("Status")
        #expect(status["pid"].integer == Int64(daemon.process))
        #expect(status["store"] == "serving")
        #expect(status["counts"]["scheduled"] == 1)
        #expect(status["counts"]["held"] == 1)
        #expect(status["counts"]["dead"] == 1)
        #expect(status["counts"]["leased"] == 0)
        #expect(status["connections"] == 1)
        #expect(status["next_usec"] == (try client.summary(soon)["due_usec"]))
        #expect((status["rules"].integer ?? 0) > 7)
        #expect(status["rules_hash"].string?.count == 16)
        #expect((status["memory_bytes"].integer ?? 0) > 1_000_000)
        let sentence = try #require(status["sentence"].string)
        #expect(sentence.hasPrefix("2 waiting (1 held), 1 given up; next 20"), "\(sentence)")
        #expect(try client.call("Status", ["all": true])["parameter"] == "all")
    }
}
