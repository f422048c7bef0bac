import Support
import SystemKit
import Testing

/// Working: leases, reports, and what fences them.
@Suite
struct LeaseTests {
    /// Why says whether nobody is there or all are busy.
    @Test
    func whyTellsBusyWorkersFromNone() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let ids = try [client.submit(), client.submit()]
        for id in ids { try client.await(id, "ready") }
        let none = try client.why(ids[1])["primary"]
        #expect(none["code"] == "no-worker")
        #expect(none["next"] == "a worker must lease queue mail")
        let leased = try client.lease()["id"].integer
        let other = try #require(ids.first { $0 != leased })
        let busy = try client.why(other)["primary"]
        #expect(busy["code"] == "no-worker")
        #expect(
            busy["next"].string
                == "the workers of queue mail are busy with 1 attempts: it is tried when one of "
                + "them has room")
    }

    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    // MARK: Lease

    @Test
    func aLeaseWithoutWorkIsAnsweredWithNothing() throws {
        #expect(try client.succeed("Lease", ["queues": ["mail"]]) == ["operations": []])
    }

    @Test
    func queuesAreServedInTheirOrderAndPrioritiesBeforeAge() throws {
        let low = try client.submit(["queue": "b", "priority": -1])
        let high = try client.submit(["queue": "b", "priority": 1])
        let other = try client.submit(["queue": "a"])
        for id in [low, high, other] { try client.await(id, "ready") }
        let answer = try client.succeed("Lease", ["queues": ["a", "b", "c"], "max": 3])
        #expect(answer["operations"].elements.map { $0["id"].integer } == [other, high, low])
        #expect(answer["operations"].elements.map { $0["token"] } == [1, 1, 1])
    }

    @Test
    func theLeaseOfAUnitSaysHowLongItMustLast() throws {
        let settings = "[policy.brief]\ninitial = \"1ms\"\nmax = \"1ms\"\nfloor = 0\n"
            + "reset-after = \"90s\"\n[queue.unit]\npolicy = \"brief\"\n"
        let daemon = try Scenario.started(settings: settings)
        let client = try daemon.connect()
        _ = try client.submit(["kind": "unit", "payload": ["unit": "x.service"]])
        #expect(try client.lease("unit")["reset_after_ms"] == 90_000)
        _ = try client.submit()
        #expect(try client.lease()["reset_after_ms"] == .null)
    }

    @Test
    func neverMoreThanAskedFor() throws {
        for _ in 0..<5 { try client.await(try client.submit(), "ready") }
        let two = try client.succeed("Lease", ["queues": ["mail"], "max": 2])
        #expect(two["operations"].elements.count == 2)
        let rest = try client.succeed("Lease", ["queues": ["mail"], "max": 1_024])
        #expect(rest["operations"].elements.count == 3)
    }

    @Test
    func whatDoesNotFitIsRefusedByItsName() throws {
        let cases: [(String, String)] = [
            (#"{}"#, "queues: it is needed"), (#"{"queues": []}"#, "queues: it is needed"),
            (#"{"queues": "mail"}"#, "queues: an array is needed"),
            (#"{"queues": ["mail"], "max": 0}"#, "max: from 1 to 1024, not 0"),
            (#"{"queues": ["mail"], "max": 1025}"#, "max: from 1 to 1024, not 1025"),
            (
                #"{"queues": ["mail"], "visibility_ms": 999}"#,
                "visibility_ms: from 1000 to 86400000, not 999"
            ),
            (
                #"{"queues": ["mail"], "wait_ms": 3600001}"#,
                "wait_ms: from 0 to 3600000, not 3600001"
            ),
            (#"{"queues": ["mail"], "count": 1}"#, "count: no such parameter"),
        ]
        for (json, reason) in cases {
            let call = #"{"method":"io.retryd.Lease","parameters":\#(json)}"#
            try client.send(bytes: Array(call.utf8) + [0])
            let answer = try client.receive()
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            let parameter = answer["parameter"].string ?? ""
            #expect("\(parameter): \(answer["reason"].string ?? "")" == reason)
        }
    }

    // MARK: Waiting

    @Test
    func aBlockedLeaseIsServedWhenSomethingComesDue() throws {
        let worker = try daemon.connect()
        try worker.send("Lease", ["queues": ["other", "mail"], "wait_ms": 20_000])
        // What is behind it waits.
        try worker.send("Status")
        #expect(try worker.next(timeoutMs: 50) == nil)
        let id = try client.submit()
        let answer = try worker.receive()
        #expect(answer["operations"].elements.map { $0["id"].integer } == [id])
        #expect(try worker.receive()["store"] == "serving")
    }

    @Test
    func aBlockedLeaseEndsWithNothingWhenItsTimeIsUp() throws {
        let start = Clocks.monotonicUsec()
        #expect(
            try client.succeed("Lease", ["queues": ["mail"], "wait_ms": 200])
                == ["operations": []])
        let tookMs = (Clocks.monotonicUsec() - start) / 1_000
        #expect(tookMs >= 200, "\(tookMs) ms")
        // The connection goes on.
        #expect(try client.succeed("Status")["store"] == "serving")
    }

    @Test
    func theLongestWaitingIsServedFirstAndNobodyTwice() throws {
        let workers = try (0..<4).map { _ in try daemon.connect() }
        for worker in workers {
            try worker.send("Lease", ["queues": ["mail"], "wait_ms": 20_000])
            // Known to wait: its connection was read before this answer.
            try client.succeed("Status")
        }
        for index in 0..<4 {
            let id = try client.submit()
            #expect(try workers[index].receive()["operations"][0]["id"].integer == id)
        }
    }

    @Test
    func aWaitingWorkerThatLeavesTakesNothing() throws {
        do {
            let gone = try daemon.connect()
            try gone.send("Lease", ["queues": ["mail"], "wait_ms": 20_000])
            try client.succeed("Status")
        }
        let id = try client.submit()
        #expect(try client.lease()["id"].integer == id)
    }

    // MARK: Streams

    @Test
    func aStreamHandsOutUpToItsBound() throws {
        let worker = try daemon.connect()
        try worker.send("Lease", ["queues": ["mail"], "max": 2], .more)
        for _ in 0..<4 { _ = try client.submit() }
        var out: [Value] = []
        while out.count < 2 {
            let answer = try worker.receive()
            #expect(answer.continues)
            out += answer["operations"].elements
        }
        #expect(out.count == 2)
        #expect(try worker.next(timeoutMs: 100) == nil)
        // Reported by another connection of the same user: there is room for one.
        try client.succeed("Report", .succeeded(out[0]))
        let third = try worker.receive()["operations"].elements
        #expect(third.map { $0["id"] } == [3])
        // Given back: the same one may come again, another one first.
        try client.succeed(
            "Release", ["id": out[1]["id"], "token": out[1]["token"], "delay_ms": 60_000])
        #expect(try worker.receive()["operations"][0]["id"] == 4)
        #expect(try worker.next(timeoutMs: 50) == nil)
    }

    @Test
    func aStreamGoesOnWhenItsOperationWasReplacedOrCancelled() throws {
        let worker = try daemon.connect()
        try worker.send("Lease", ["queues": ["mail"]], .more)
        let keyed: Value = ["queue": "mail", "key": "k", "key_mode": "replace"]
        let id = try client.submit(keyed)
        #expect(try worker.receive()["operations"][0]["id"].integer == id)
        _ = try client.submit(keyed)
        let again = try worker.receive()["operations"][0]
        #expect(again["id"].integer == id)
        #expect(again["token"] == 3)
        let other = try client.submit()
        try client.succeed("Cancel", ["id": .integer(id)])
        #expect(try worker.receive()["operations"][0]["id"].integer == other)
    }

    // MARK: Report

    @Test
    func aFailedAttemptIsDecidedAndTheNextOneCarriesItsFailure() throws {
        let id = try client.submit()
        let first = try client.lease()
        let report = try client.succeed(
            "Report", .failed(first, "retry", failure: ["message": "second"]))
        #expect(report["id"].integer == id)
        #expect(report["state"] == "scheduled")
        #expect(report["decision"]["disposition"] == "retry")
        #expect(report["duplicate"] == false)
        #expect(report["operations"] == [])
        #expect(report["due_usec"] != .null)
        let second = try client.lease()
        #expect(second["attempt"] == 3)
        #expect(second["token"] == 2)
        #expect(second["failure"]["message"] == "second")
        let end = try client.succeed("Report", .succeeded(second))
        #expect(end["state"] == "succeeded")
        #expect(end["decision"] == .null)
        #expect(end["due_usec"] == .null)
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "failed", "succeeded"])
        #expect(history.map { $0["number"] } == [1, 2, 3])
        #expect(history[1]["failure"]["message"] == "second")
    }

    @Test
    func leaseNextBringsFurtherWorkInTheAnswer() throws {
        let ids = try (0..<3).map { _ in try client.submit() }
        for id in ids { try client.await(id, "ready") }
        let first = try client.lease("mail", ["visibility_ms": 5_000])
        let now = Clocks.realtimeUsec()
        let answer = try client.succeed(
            "Report", Value.succeeded(first).with(["lease_next": 1]))
        #expect(answer["operations"].elements.map { $0["id"].integer } == [ids[1]])
        // As long as the lease before it stood.
        let until = try #require(answer["operations"][0]["visibility_usec"].integer)
        #expect(abs(until - now - 5_000_000) < 2_000_000)
        let next = try client.succeed(
            "Release",
            [
                "id": answer["operations"][0]["id"], "token": answer["operations"][0]["token"],
                "delay_ms": 60_000, "lease_next": 5,
            ])
        #expect(next["operations"].elements.map { $0["id"].integer } == [ids[2]])
        #expect(next["state"] == "scheduled")
    }

    @Test
    func anAttemptThatWasNotMadeIsADeferral() throws {
        let id = try client.submit()
        let leased = try client.lease()
        let answer = try client.succeed(
            "Release", ["id": leased["id"], "token": leased["token"]])
        #expect(answer["state"] == "ready")
        let summary = try client.summary(id)
        #expect(summary["attempts"] == 1)
        #expect(summary["deferrals"] == 1)
        #expect(summary["recoveries"] == 0)
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "released"])
    }

    @Test
    func anOldTokenIsStaleAndKeptInTheHistory() throws {
        let id = try client.submit()
        let first = try client.lease()
        try client.succeed("Report", .failed(first))
        let second = try client.lease()
        for call in [
            ("Report", Value.succeeded(first)), ("Report", Value.failed(first)),
            ("Extend", ["id": first["id"], "token": first["token"]]),
            ("Release", ["id": first["id"], "token": first["token"]]),
        ] {
            let answer = try client.call(call.0, call.1)
            #expect(answer.error == "io.retryd.StaleLease", "\(call.0)")
            #expect(answer.parameters == ["id": .integer(id), "state": "leased"])
        }
        // The attempt that runs is not disturbed.
        #expect(try client.succeed("Report", .succeeded(second))["state"] == "succeeded")
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "failed", "stale", "succeeded"])
        // What came too late was not decided.
        #expect(history[2]["decision"] == .null)
        #expect(history[2]["failure"] == ["test": "retry"])
    }

    @Test
    func aCancelledAttemptLearnsOfIt() throws {
        let id = try client.submit()
        let leased = try client.lease()
        try client.succeed("Cancel", ["id": .integer(id)])
        let answer = try client.call("Extend", ["id": leased["id"], "token": leased["token"]])
        #expect(answer.error == "io.retryd.StaleLease")
        #expect(answer["state"] == "cancelled")
    }

    @Test
    func whatAWorkerTellsIsChecked() throws {
        let cases: [(String, String, String)] = [
            ("Report", #"{"id": 1, "token": 1}"#, "outcome: it is needed"),
            ("Report", #"{"token": 1, "outcome": "failed"}"#, "id: it is needed"),
            ("Report", #"{"id": 1, "outcome": "failed"}"#, "token: it is needed"),
            (
                "Report", #"{"id": 1, "token": 1, "outcome": "lost"}"#,
                "outcome: one of succeeded, failed is needed"
            ),
            (
                "Report", #"{"id": 1, "token": 1, "outcome": "failed", "failures": []}"#,
                "failures: no such parameter"
            ),
            (
                "Report", #"{"id": 1, "token": 4294967296, "outcome": "failed"}"#,
                "token: from 0 to 4294967295, not 4294967296"
            ),
            ("Extend", #"{"id": 1}"#, "token: it is needed"),
            ("Extend", #"{"id": 1, "token": 1, "pid": 3}"#, "pid: no such parameter"),
            ("Release", #"{"id": 0, "token": 1}"#, "id: from 1 to 9223372036854775807, not 0"),
            (
                "Release", #"{"id": 1, "token": 1, "delay_ms": -1}"#,
                "delay_ms: from 0 to 31536000000, not -1"
            ),
        ]
        for (method, json, reason) in cases {
            _ = try client.submit()
            _ = try client.lease()
            let call = #"{"method":"io.retryd.\#(method)","parameters":\#(json)}"#
            try client.send(bytes: Array(call.utf8) + [0])
            let answer = try client.receive()
            let parameter = answer["parameter"].string ?? ""
            #expect("\(parameter): \(answer["reason"].string ?? "")" == reason)
            #expect(try client.state(1) == "leased")
        }
    }

    @Test
    func nobodyReportsOnWhatIsNotThere() throws {
        for method in ["Extend", "Release"] {
            let answer = try client.call(method, ["id": 99, "token": 1])
            #expect(answer.error == "io.retryd.NoSuchOperation")
            #expect(answer["id"] == 99)
        }
        let report = try client.call("Report", ["id": 99, "token": 1, "outcome": "failed"])
        #expect(report.error == "io.retryd.NoSuchOperation")
    }
}
