import Support
import SystemKit
import Testing

/// `key` and `event_id`: handing over and telling again do not do it twice.
@Suite
struct KeyTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    private func submit(
        _ key: String = "k", mode: String = "keep", payload: String, _ meaning: String = "retry",
        more: [String: Value] = [:]
    ) throws -> Value {
        let operation = Value.object([
            "queue": "mail", "key": .string(key), "key_mode": .string(mode),
            "payload": .string(payload), "policy": "slow",
        ])
        return try client.succeed("Submit", .submit(operation.with(more), meaning))
    }

    // MARK: key × mode × state

    @Test
    func keepLeavesTheExistingOneAsItIs() throws {
        let first = try submit(payload: "one")
        let second = try submit(payload: "two", "permanent introspect-cause")
        #expect(second["id"] == first["id"])
        #expect(second["existing"] == true)
        #expect(second["duplicate"] == false)
        #expect(second["decision"] == .null)
        #expect(second["state"] == "scheduled")
        #expect(second["due_usec"] == first["due_usec"])
        #expect(try client.succeed("Get", ["id": first["id"]])["payload"] == "one")
    }

    @Test
    func keepRevivesADeadOneWithThePayloadOfTheCall() throws {
        let first = try submit(payload: "one", "permanent introspect-cause")
        #expect(first["state"] == "dead")
        let second = try submit(payload: "two")
        #expect(second["id"] == first["id"])
        #expect(second["existing"] == true)
        #expect(second["state"] == "scheduled")
        #expect(second["decision"]["rule"] == "test-retry")
        let got = try client.succeed("Get", ["id": first["id"]])
        #expect(got["payload"] == "two")
        #expect(got["failure"] == ["test": "retry"])
        #expect(got["decision"]["rule"] == "test-retry")
        #expect(got["operation"]["attempts"] == 1)
    }

    @Test
    func replaceTakesPayloadAndFailureAndFencesARunningAttempt() throws {
        let id = try submit(payload: "one")["id"]
        try client.succeed("Retry", ["id": id])
        let leased = try client.lease()
        let second = try submit(mode: "replace", payload: "two", more: ["priority": 3])
        #expect(second["id"] == id)
        #expect(second["existing"] == true)
        #expect(second["state"] == "scheduled")
        let late = try client.call("Report", .succeeded(leased))
        #expect(late.error == "io.retryd.StaleLease")
        #expect(late["state"] == "scheduled")
        #expect(try client.call("Extend", ["id": id, "token": leased["token"]]).error
            == "io.retryd.StaleLease")
        let got = try client.succeed("Get", ["id": id])
        #expect(got["payload"] == "two")
        #expect(got["operation"]["priority"] == 3)
    }

    @Test
    func coalesceJoinsAndTakesTheHigherPriority() throws {
        let first = try submit(payload: "one", more: ["priority": 1])
        let second = try submit(mode: "coalesce", payload: "two", more: ["priority": 9])
        #expect(second["id"] == first["id"])
        #expect(second["existing"] == true)
        _ = try submit(mode: "coalesce", payload: "three", more: ["priority": -9])
        let got = try client.succeed("Get", ["id": first["id"]])
        #expect(got["operation"]["priority"] == 9)
        #expect(got["payload"] == "one")
    }

    @Test
    func anEndedOperationFreesItsKey() throws {
        let first = try submit(payload: "one")
        try client.succeed("Cancel", ["id": first["id"]])
        let second = try submit(payload: "two")
        #expect(second["existing"] == false)
        #expect(second["id"] != first["id"])
        // The ended one is still found by its key.
        #expect(try client.list(["key": "k"]).map { $0["state"] } == ["cancelled", "scheduled"])
        #expect(try client.list(["key": "other"]) == [])
    }

    @Test
    func keysBelongToTheirQueue() throws {
        let mail = try submit(payload: "one")
        let other = try client.succeed("Submit", .submit(["queue": "print", "key": "k"]))
        #expect(other["existing"] == false)
        #expect(other["id"] != mail["id"])
    }

    @Test
    func aKeyIsFoundAfterARestartAndAfterAKill() throws {
        let first = try submit(payload: "one")
        try daemon.restart()
        let again = try daemon.connect()
        let call = Value.submit(["queue": "mail", "key": "k"])
        #expect(try again.succeed("Submit", call)["id"] == first["id"])
        daemon.kill()
        try daemon.start()
        let third = try daemon.connect()
        #expect(try third.succeed("Submit", call)["existing"] == true)
        #expect(try third.list().count == 1)
    }

    /// The second one comes before the first is on disk, so its key is compared a batch later;
    /// what is pipelined behind it waits its turn.
    @Test
    func pipelinedSubmitsOfOneKeyMakeOneOperationAndAnswersKeepTheirOrder() throws {
        var bytes: [UInt8] = []
        for number in 0..<300 {
            let key = Value.string("key-\(number % 3)")
            bytes += WireClient.message(
                "Submit", .submit(["queue": "mail", "key": key, "policy": "slow"]))
            bytes += WireClient.message("Why", ["id": .integer(Int64(number % 3 + 1))])
        }
        try client.send(bytes: bytes)
        for number in 0..<300 {
            let submitted = try client.receive()
            #expect(submitted.error == nil)
            #expect(submitted["id"].integer == Int64(number % 3 + 1))
            #expect(submitted["existing"] == .bool(number >= 3), "\(number)")
            let why = try client.receive()
            #expect(why["id"].integer == Int64(number % 3 + 1))
            #expect(why.error == (number % 3 > number ? "io.retryd.NoSuchOperation" : nil))
        }
        #expect(try client.list().count == 3)
    }

    // MARK: event_id

    private func tell(_ event: String, _ meaning: String = "retry") -> Value {
        [
            "operation": ["queue": "mail", "policy": "slow"],
            "failure": ["test": .string(meaning), "event_id": .string(event)],
        ]
    }

    @Test
    func theSecondTellerGetsTheFirstDecision() throws {
        let first = try client.succeed("Submit", tell("e1"))
        let second = try client.succeed("Submit", tell("e1", "permanent introspect-cause"))
        #expect(second["id"] == first["id"])
        #expect(second["existing"] == true)
        #expect(second["duplicate"] == true)
        #expect(second["decision"] == first["decision"])
        let other = try client.succeed("Submit", tell("e2"))
        #expect(other["duplicate"] == false)
        #expect(other["id"] != first["id"])
        #expect(try client.list().count == 2)
    }

    @Test
    func anEventIsRememberedOverARestartAndAfterTheEndOfItsOperation() throws {
        let first = try client.succeed("Submit", tell("e1"))
        try client.succeed("Cancel", ["id": first["id"]])
        daemon.kill()
        try daemon.start()
        let again = try daemon.connect()
        let second = try again.succeed("Submit", tell("e1"))
        #expect(second["duplicate"] == true)
        #expect(second["id"] == first["id"])
        #expect(second["state"] == "cancelled")
        #expect(second["decision"] == first["decision"])
        #expect(try again.list().count == 1)
    }

    @Test
    func aReportToldTwiceCountsOnce() throws {
        let id = try client.submit(["queue": "mail", "unknown": "retry"])
        let leased = try client.lease()
        let report = Value.failed(leased, "new-flow", failure: ["event_id": "e9"])
        let first = try client.succeed("Report", report)
        #expect(first["duplicate"] == false)
        #expect(first["state"] == "parked")
        let second = try client.succeed("Report", report)
        #expect(second["duplicate"] == true)
        #expect(second["decision"] == first["decision"])
        #expect(second["state"] == "parked")
        #expect(try client.summary(id)["attempts"] == 2)
        let outcomes = try client.succeed("History", ["id": .integer(id)])["attempts"]
        #expect(outcomes.elements.map { $0["outcome"] } == ["failed", "failed", "duplicate"])
        // By Submit as well, and after a restart.
        try daemon.restart()
        let again = try daemon.connect()
        let third = try again.succeed("Submit", tell("e9"))
        #expect(third["duplicate"] == true)
        #expect(third["id"].integer == id)
        #expect(third["decision"] == first["decision"])
    }

    @Test
    func theEventOfAReplacedPayloadIsStillKnown() throws {
        func call(_ event: String) -> Value {
            [
                "operation": [
                    "queue": "mail", "key": "k", "key_mode": "replace", "policy": "slow",
                    "payload": .string(event),
                ],
                "failure": ["test": "retry", "event_id": .string(event)],
            ]
        }
        _ = try client.succeed("Submit", call("e1"))
        _ = try client.succeed("Submit", call("e2"))
        let late = try client.succeed("Submit", call("e1"))
        #expect(late["duplicate"] == true)
        #expect(try client.succeed("Get", ["id": late["id"]])["payload"] == "e2")
    }

    @Test
    func anEventIsKnownThoughItsOperationIsNoLongerKept() throws {
        let daemon = try Scenario.started(settings: "[retention]\nended-count = 1\n")
        let client = try daemon.connect()
        let first = try client.succeed("Submit", tell("e1"))
        try client.succeed("Cancel", ["id": first["id"]])
        for _ in 0..<3 { try client.succeed("Cancel", ["id": .integer(try client.submit())]) }
        #expect(try client.call("Why", ["id": first["id"]]).error
            == "io.retryd.NoSuchOperation")
        let second = try client.succeed("Submit", tell("e1"))
        #expect(second["duplicate"] == true)
        #expect(second["id"] == first["id"])
        #expect(second["state"] == "removed")
        #expect(second["decision"] == .null)
    }
}
