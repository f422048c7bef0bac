import Support
import SystemKit
import Testing

/// Leases end with the process that holds them, or when it is silent too long.
@Suite
struct LostWorkerTests {
    private static let quick = "[limits]\nreconnect-grace = \"300ms\"\nrestart-grace = \"2s\"\n"

    /// Waits until an operation is leased no longer, and gives what List says of it.
    private func lost(_ id: Int64, _ client: WireClient) throws -> Value {
        let endUsec = Clocks.monotonicUsec() + 20_000_000
        while true {
            let summary = try client.summary(id)
            if summary["state"] != "leased" { return summary }
            if Clocks.monotonicUsec() > endUsec { throw Failure("still leased: \(summary.text)") }
            Clocks.sleep(ms: 5)
        }
    }

    /// Leases by a process that is killed then.
    private func leaseAndDie(_ daemon: PrivateDaemon, _ queue: String = "mail") throws -> Value {
        let worker = try ClientProcess(daemon)
        let leased = try worker.client.lease(queue)
        worker.end(.kill)
        return leased
    }

    @Test
    func aWorkerKilledInTheMiddleCountsAsARecovery() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        _ = try leaseAndDie(daemon)
        let summary = try lost(id, client)
        #expect(summary["state"] == "ready")
        #expect(summary["recoveries"] == 1)
        #expect(summary["attempts"] == 1)
        let second = try client.lease()
        #expect(second["recoveries"] == 1)
        #expect(second["attempt"] == 2)
        #expect(try client.succeed("Report", .succeeded(second))["state"] == "succeeded")
        #expect(try client.summary(id)["recoveries"] == 1)
        let history = try client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(history.map { $0["outcome"] } == ["failed", "lost", "succeeded"])
    }

    /// What a dead worker had is not offered to it again, though it still waits for more.
    @Test(arguments: [true, false], [1, 3])
    func aDeadWorkerIsOfferedNothing(isStream: Bool, count: Int) throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let ids = try (0..<count).map { _ in try client.submit() }
        for id in ids { try client.await(id, "ready") }
        let worker = try ClientProcess(daemon)
        let request: Value = ["queues": ["mail"], "max": 3, "wait_ms": 60_000]
        if isStream {
            try worker.client.send("Lease", request, .more)
            #expect(try worker.client.receive()["operations"].elements.count == count)
        } else {
            #expect(
                try worker.client.call("Lease", request)["operations"].elements.count == count)
            try worker.client.send("Lease", request)
        }
        worker.end(.kill)
        for id in ids {
            let summary = try lost(id, client)
            #expect(summary["state"] == "ready", "\(summary.text)")
            #expect(summary["recoveries"] == 1)
        }
        // Nor a moment later.
        Clocks.sleep(ms: 50)
        for id in ids { #expect(try client.state(id) == "ready") }
        #expect(try client.lease()["recoveries"] == 1)
    }

    @Test
    func fiveLostWorkersParkAnOperation() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        for _ in 0..<5 { _ = try leaseAndDie(daemon) }
        let summary = try lost(id, client)
        #expect(summary["state"] == "parked")
        #expect(summary["cause"] == "too-many-recoveries")
        #expect(summary["recoveries"] == 5)
        let why = try client.why(id)["primary"]
        #expect(why["code"] == "needs-owner")
        #expect(why["cause"] == "too-many-recoveries")
    }

    @Test
    func whatMustNotBeRepeatedIsParkedAtOnce() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit(["queue": "mail", "idempotent": false])
        _ = try leaseAndDie(daemon)
        let summary = try lost(id, client)
        #expect(summary["state"] == "parked")
        #expect(summary["cause"] == "outcome-unknown")
    }

    @Test
    func aClosedConnectionLeavesItsLeasesAGrace() throws {
        let daemon = try Scenario.started(settings: LostWorkerTests.quick)
        let client = try ClientProcess(daemon)
        let id = try client.client.submit()
        let leased: Value
        do {
            // This process holds the lease; the client is another one.
            let worker = try daemon.connect()
            leased = try worker.lease()
        }
        #expect(try client.client.state(id) == "leased")
        let until = try client.client.why(id)["primary"]["until_usec"].integer ?? .max
        #expect(until - Clocks.realtimeUsec() < 300_000)
        let summary = try lost(id, client.client)
        #expect(summary["state"] == "ready")
        #expect(summary["recoveries"] == 1)
        // Its report still counts, as long as nobody else was given the operation.
        let late = try daemon.connect()
        #expect(try late.succeed("Report", .succeeded(leased))["state"] == "succeeded")
        // Once.
        #expect(try late.call("Report", .succeeded(leased)).error == "io.retryd.StaleLease")
    }

    @Test
    func aWorkerThatComesBackWithinTheGraceGoesOn() throws {
        let daemon = try Scenario.started(
            settings: "[limits]\nreconnect-grace = \"5s\"\n")
        let client = try ClientProcess(daemon)
        let id = try client.client.submit()
        let leased: Value
        do {
            let worker = try daemon.connect()
            leased = try worker.lease()
        }
        let back = try daemon.connect()
        let until = try back.succeed("Extend", ["id": leased["id"], "token": leased["token"]])
        let leftUsec = (until["until_usec"].integer ?? 0) - Clocks.realtimeUsec()
        #expect(leftUsec > 50_000_000, "\(leftUsec)")
        #expect(try client.client.state(id) == "leased")
        #expect(try back.succeed("Report", .succeeded(leased))["state"] == "succeeded")
        #expect(try client.client.summary(id)["recoveries"] == 0)
    }

    /// A worker may lease by one connection and keep another one for its reports.
    @Test
    func theGraceBeginsWithTheLastConnectionOfAProcess() throws {
        let daemon = try Scenario.started(settings: LostWorkerTests.quick)
        let other = try daemon.connect()
        let id = try other.submit()
        do {
            let worker = try daemon.connect()
            _ = try worker.lease()
        }
        Clocks.sleep(ms: 500)
        #expect(try other.state(id) == "leased")
    }

    @Test
    func silenceEndsALeaseAfterItsVisibilityTime() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        let start = Clocks.monotonicUsec()
        let leased = try client.lease("mail", ["visibility_ms": 1_000])
        // A word in between counts from there.
        Clocks.sleep(ms: 400)
        try client.succeed("Extend", ["id": leased["id"], "token": leased["token"]])
        let summary = try lost(id, client)
        let tookMs = (Clocks.monotonicUsec() - start) / 1_000
        #expect(tookMs >= 1_400, "\(tookMs) ms")
        #expect(summary["recoveries"] == 1)
        #expect(summary["state"] == "ready")
        // Taken up again: nobody else was given it.
        let until = try client.succeed(
            "Extend", ["id": leased["id"], "token": leased["token"], "visibility_ms": 60_000])
        #expect((until["until_usec"].integer ?? 0) > Clocks.realtimeUsec() + 50_000_000)
        #expect(try client.state(id) == "leased")
        #expect(try client.succeed("Report", .succeeded(leased))["state"] == "succeeded")
        #expect(try client.summary(id)["recoveries"] == 0)
    }

    @Test
    func whoComesAfterANewLeaseIsTooLate() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        _ = try client.submit()
        let first = try leaseAndDie(daemon)
        let second = try client.lease()
        #expect(try client.call("Report", .succeeded(first)).error == "io.retryd.StaleLease")
        #expect(try client.succeed("Report", .succeeded(second))["state"] == "succeeded")
    }

    // MARK: Hand-over to another process

    @Test
    func aLeaseCanBeHandedToAnotherProcess() throws {
        let daemon = try Scenario.started(settings: LostWorkerTests.quick)
        let client = try daemon.connect()
        let id = try client.submit()
        let worker = try ClientProcess(daemon)
        let leased = try worker.client.lease()
        let runner = try ChildProcess.start(["sleep", "60"], input: .null)
        try worker.client.succeed(
            "Extend",
            [
                "id": leased["id"], "token": leased["token"],
                "holder_pid": .integer(Int64(runner.id)),
            ])
        worker.end(.kill)
        Clocks.sleep(ms: 600)
        let why = try client.why(id)["primary"]
        #expect(why["code"] == "leased-by")
        #expect(why["pid"].integer == Int64(runner.id))
        runner.send(.kill)
        _ = runner.wait()
        #expect(try lost(id, client)["recoveries"] == 1)
    }

    @Test
    func aLeaseIsNotHandedToAProcessThatIsNotThere() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        let leased = try client.lease()
        let ended = try ChildProcess.start(["true"], input: .null)
        let process = ended.id
        _ = ended.wait()
        let answer = try client.call(
            "Extend",
            [
                "id": leased["id"], "token": leased["token"],
                "holder_pid": .integer(Int64(process)),
            ])
        #expect(answer.error == "org.varlink.service.InvalidParameter")
        #expect(answer["parameter"] == "holder_pid")
        #expect(try client.state(id) == "leased")
    }

    // MARK: Restarts of the daemon

    @Test(arguments: [false, true])
    func aLeaseSurvivesARestart(isKilled: Bool) throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        let leased = try client.lease()
        if isKilled { daemon.kill() } else { daemon.stop() }
        try daemon.start()
        let back = try daemon.connect()
        #expect(try back.state(id) == "leased")
        #expect(try back.why(id)["primary"]["pid"].integer == Int64(ProcessIdentity.own.process))
        try back.succeed("Extend", ["id": leased["id"], "token": leased["token"]])
        #expect(try back.succeed("Report", .failed(leased))["decision"]["rule"] == "test-retry")
        #expect(try back.summary(id)["recoveries"] == 0)
        #expect(try back.summary(id)["attempts"] == 2)
    }

    @Test
    func aWorkerThatDiedWhileTheDaemonWasDownIsMissedAtOnce() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit()
        let worker = try ClientProcess(daemon)
        _ = try worker.client.lease()
        daemon.kill()
        worker.end(.kill)
        try daemon.start()
        let back = try daemon.connect()
        #expect(try lost(id, back)["recoveries"] == 1)
    }

    @Test
    func aWorkerThatDoesNotComeBackAfterARestartLosesItsLease() throws {
        let daemon = try Scenario.started(settings: LostWorkerTests.quick)
        let client = try daemon.connect()
        let id = try client.submit()
        _ = try client.lease("mail", ["visibility_ms": 1_000])
        try daemon.restart()
        let back = try daemon.connect()
        // The reconnect window is longer than what was left.
        Clocks.sleep(ms: 1_200)
        #expect(try back.state(id) == "leased")
        #expect(try lost(id, back)["recoveries"] == 1)
    }
}
