import Glibc
import Support
import SystemKit
import Testing

/// A store that cannot be written: nothing is lost, nothing is told that is not so, and it goes on
/// by itself.
@Suite
struct StoreFailureTests {
    private let daemon: PrivateDaemon
    private let disk: TestDisk
    private let client: WireClient

    init() throws {
        daemon = try Scenario.daemon(
            settings: """
                [limits]
                reconnect-grace = "300ms"
                [policy.soon]
                initial = "2s"
                max = "2s"
                """)
        disk = try TestDisk(of: daemon)
        try daemon.start()
        client = try daemon.connect()
    }

    private func slowly(_ queue: String = "mail") throws -> Int64 {
        try client.submit(["queue": .string(queue), "policy": "slow"])
    }

    private func awaitStore(_ state: String) throws {
        let endUsec = Clocks.monotonicUsec() + 20_000_000
        while try client.succeed("Status")["store"].string != state {
            if Clocks.monotonicUsec() > endUsec { throw Failure("the store is not \(state)") }
            Clocks.sleep(ms: 20)
        }
    }

    /// The journal tells what is stored, and nothing that was refused.
    @Test
    func whatCouldNotBeStoredIsNotInTheJournal() throws {
        let kept = try slowly()
        try disk.set(syncError: EIO)
        let refused = try client.call("Submit", .submit(["queue": "refused", "policy": "slow"]))
        #expect(refused.error == "io.retryd.StoreUnavailable")
        try disk.repair()
        try awaitStore("serving")
        let later = try slowly("later")
        daemon.stop()
        let journal = daemon.errors
        #expect(journal.contains("Operation \(kept) (mail) accepted"), "\(journal)")
        #expect(journal.contains("Operation \(later) (later) accepted"), "\(journal)")
        #expect(!journal.contains("(refused)"), "\(journal)")
        #expect(journal.contains("entries were dropped: what they tell could not be stored"))
    }

    /// Who may put things right still can when others have filled the disk.
    @Test(.enabled(if: BuiltProgram.isRoot, "needs root, which plays other users"))
    func aNearlyFullDiskTakesNothingNewFromUsers() throws {
        let ann = try ClientProcess(daemon, user: 4_242)
        let slow: Value = ["queue": "mail", "policy": "slow"]
        let id = try ann.client.submit(slow)
        try disk.set(freeKiB: 100 * 1_024)
        Clocks.sleep(ms: 250)
        for (method, parameters) in [
            ("Submit", .submit(slow)), ("SubmitMany", ["items": [.submit(slow)]]),
        ] as [(String, Value)] {
            let refused = try ann.client.call(method, parameters)
            #expect(refused.error == "io.retryd.StoreUnavailable")
            #expect(refused["reason"].string?.contains("has 100 MiB left, and 128 MiB") == true)
        }
        _ = try client.submit(slow)
        try ann.client.succeed("Cancel", ["id": .integer(id)])
        #expect(try client.succeed("Status")["store"] == "serving")
        try disk.repair()
        Clocks.sleep(ms: 250)
        _ = try ann.client.submit(slow)
    }

    @Test(arguments: [true, false])
    func whatCannotBeStoredIsRefusedAndAllElseGoesOn(isSync: Bool) throws {
        let kept = [try slowly(), try slowly()]
        if isSync { try disk.set(syncError: EIO) } else { try disk.set(writeError: ENOSPC) }
        let refused = try client.call("Submit", .submit(["queue": "mail", "policy": "slow"]))
        #expect(refused.error == "io.retryd.StoreUnavailable")
        let reason = try #require(refused["reason"].string)
        #expect(
            reason.contains(isSync ? "the disk reported an error" : "no space left"),
            "\(reason)")

        // Reads go on and show exactly what was acknowledged.
        #expect(try client.list().map { $0["id"].integer } == kept)
        #expect(try client.why(kept[0])["primary"]["code"] == "backoff-until")
        let got = try client.succeed("Get", ["id": .integer(kept[1])])
        #expect(got["failure"] == ["test": "retry"])
        let status = try client.succeed("Status")
        #expect(status["store"] == "failing")
        #expect(status["sentence"].string == "Refusing work: \(reason)")
        #expect(status["counts"]["scheduled"] == 2)

        // All that would have to be stored is refused by name.
        for (method, parameters) in [
            ("Submit", .submit()), ("SubmitMany", ["items": [.submit()]]),
            ("Lease", ["queues": ["mail"]]), ("Cancel", ["id": 1]), ("Retry", ["id": 1]),
            ("Retry", ["filter": [:], "reclassify": true]),
            ("SetSignal", ["signal": "network", "on": true]),
            ("Report", ["id": 1, "token": 1, "outcome": "succeeded"]),
            ("Release", ["id": 1, "token": 1]),
        ] as [(String, Value)] {
            #expect(
                try client.call(method, parameters).error == "io.retryd.StoreUnavailable",
                "\(method)")
        }
        try daemon.awaitError("Refusing new work")

        // It looks by itself whether it works again.
        try disk.repair()
        try awaitStore("serving")
        try daemon.awaitError("Taking work again")
        let later = try slowly()
        try daemon.restart()
        let back = try daemon.connect()
        #expect(try back.list().map { $0["id"].integer } == kept + [later])
    }

    /// Everything that was on its way when the commit failed gets an answer.
    @Test
    func everyCallThatWaitsIsAnsweredByName() throws {
        let first = try client.submit(["queue": "mail", "policy": "slow", "key": "k"])
        _ = try slowly("act")
        try disk.set(syncDelayMs: 400)
        let starter = try daemon.connect()
        try starter.send("Submit", .submit(["queue": "mail", "policy": "slow"]))
        Clocks.sleep(ms: 100)
        // In the batch behind it: calls of every kind, more pipelined behind those that wait.
        try client.send("Submit", .submit(["queue": "mail", "policy": "slow"]))
        try client.send("Why", ["id": .integer(first)])
        try client.send("Submit", .submit(["queue": "mail", "policy": "slow", "key": "k"]))
        try client.send("Status")
        let lister = try daemon.connect()
        try lister.send("List", [:], .more)
        try lister.send("Status")
        let actor = try daemon.connect()
        try actor.send("Cancel", ["filter": ["queue": "act"]])
        try actor.send("Status")
        let watcher = try daemon.connect()
        try watcher.send("Watch", [:], .more)
        let waiter = try daemon.connect()
        try waiter.send("Lease", ["queues": ["none"], "wait_ms": 2_000])
        let silent = try daemon.connect()
        try silent.send(
            "Submit", .submit(["queue": "mail", "policy": "slow", "key": "k"]), .oneway)
        try silent.send("Status")
        Clocks.sleep(ms: 100)
        try disk.set(syncError: EIO)

        let unavailable = "io.retryd.StoreUnavailable"
        // The write under way began before; the calls behind it were built upon it.
        let started = try starter.receive()
        if started.error == nil {
            for _ in 0..<3 { #expect(try client.receive().error == unavailable) }
        } else {
            #expect(started.error == unavailable)
            _ = try (0..<3).map { _ in try client.receive() }
        }
        #expect(try client.receive()["store"] == "failing")
        #expect(try lister.receive().error == unavailable)
        #expect(try lister.receive()["store"] == "failing")
        // What is read behind a write waits for it, and fails with it.
        #expect(try actor.receive().error == unavailable)
        #expect(try actor.receive().error == unavailable)
        // A stream has missed something: it ends.
        while try watcher.next(timeoutMs: 2_000) != nil {}
        #expect(try watcher.isClosed())
        // A call without an answer gets none.
        let only = try silent.receive()
        #expect(only["store"] == "failing", "\(only)")
        #expect(try waiter.receive()["operations"] == [])
    }

    @Test
    func timeAndWorkersAreMadeUpForAfterwards() throws {
        let worker = try ClientProcess(daemon)
        let leasedID = try client.submit(["queue": "lease"])
        _ = try worker.client.lease("lease")
        let process = try ChildProcess.start(["sleep", "60"], input: .null)
        try client.succeed(
            "SetSignal",
            [
                "signal": "custom:door", "on": true,
                "while_pid": .integer(Int64(process.id)),
            ])
        let held = try client.submit(["queue": "door"], "retry custom:door")
        try client.await(held, "ready")
        let soon = try client.submit(["queue": "soon"])
        try client.await(soon, "ready")
        let waiter = try daemon.connect()
        try waiter.send("Lease", ["queues": ["later"], "wait_ms": 20_000])
        let later = try client.submit(["queue": "later", "policy": "soon"])

        try disk.set(syncError: EIO)
        #expect(try client.call("Submit", .submit()).error == "io.retryd.StoreUnavailable")
        worker.end(.kill)
        process.send(.kill)
        _ = process.wait()
        daemon.send(.user1)
        daemon.send(.hangUp)
        // Long enough for everything to come due, and for probes that fail.
        Clocks.sleep(ms: 2_500)
        let status = try client.succeed("Status")
        #expect(status["store"] == "failing")
        #expect(try client.state(leasedID) == "leased")
        #expect(try client.call("Lease", ["queues": ["soon"]]).error != nil)
        // It did not start anew again and again.
        let failures = daemon.errors.split(separator: "\n").filter {
            $0.contains("Refusing new work")
        }
        #expect(failures.count == 1, "\(daemon.errors)")

        try disk.repair()
        try awaitStore("serving")
        try client.await(leasedID, "ready")
        #expect(try client.summary(leasedID)["recoveries"] == 1)
        try client.await(held, "held")
        #expect(
            try waiter.receive()["operations"].elements.map { $0["id"].integer } == [later])
        #expect(try client.lease("soon")["id"].integer == soon)
    }

    @Test
    func policiesThatCameMeanwhileAreStoredAfterwards() throws {
        let id = try slowly()
        try disk.set(syncError: EIO)
        #expect(try client.call("Submit", .submit()).error == "io.retryd.StoreUnavailable")
        try daemon.write(
            "[policy.new]\ninitial = \"2h\"\nmax = \"3h\"\n", to: "retryd.toml.d/n.toml")
        try client.succeed("Reload")
        try disk.repair()
        try awaitStore("serving")
        let named = try client.submit(["queue": "mail", "policy": "new"])
        daemon.kill()
        try daemon.start()
        let back = try daemon.connect()
        #expect(try back.summary(id)["policy"] == "slow")
        #expect(try back.summary(named)["policy"] == "new")
    }

    @Test
    func whatCannotBeReadIsToldAndNotLeftOut() throws {
        // Large, so that it does not stay in SQLite's cache.
        let payload = Value.string(String(repeating: "p", count: 200_000))
        let id = try client.submit(["queue": "mail", "payload": payload, "key": "k"])
        for _ in 0..<60 {
            _ = try client.submit(["queue": "other", "payload": payload, "policy": "slow"])
        }
        try daemon.restart()
        let client = try daemon.connect()
        // Asked for what is in memory, so that the disk's pages are not.
        while try client.why(id)["state"] != "ready" { Clocks.sleep(ms: 1) }
        try disk.set(readError: EIO)
        let unavailable = "io.retryd.StoreUnavailable"
        for (method, parameters) in [
            ("Get", ["id": .integer(id)]), ("History", ["id": .integer(id)]), ("List", [:]),
            ("Submit", .submit(["queue": "mail", "key": "k"])), ("Lease", ["queues": ["mail"]]),
        ] as [(String, Value)] {
            #expect(try client.call(method, parameters).error == unavailable, "\(method)")
        }
        try disk.repair()
        #expect(try client.list().count == 61)
        // The attempt that could not be handed out is offered again a little later.
        let summary = try client.summary(id)
        #expect(summary["state"] == "scheduled")
        #expect(summary["recoveries"] == 0)
        try client.succeed("Retry", ["id": .integer(id)])
        #expect(try client.lease()["payload"] == payload)
    }
}
