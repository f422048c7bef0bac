import Support
import SystemKit
import Testing

/// Watch: the present state, then every change in order and after it is stored.
@Suite
struct WatchTests {
    private func events(
        _ watcher: WireClient, until last: (WireClient.Answer) -> Bool
    ) throws -> [WireClient.Answer] {
        var events: [WireClient.Answer] = []
        while true {
            let event = try watcher.receive()
            #expect(event.continues)
            events.append(event)
            if last(event) { return events }
        }
    }

    private func names(_ events: [WireClient.Answer]) -> [String] {
        events.map { $0["event"].string ?? $0.error ?? "?" }
    }

    @Test
    func theLifeOfAnOperationIsToldInOrder() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let there = try client.submit(["queue": "other", "policy": "slow", "key": "k"])
        _ = try client.submit(["queue": "other"], "permanent introspect-cause")
        let watcher = try daemon.connect()
        try watcher.send("Watch", [:], .more)
        let present = try events(watcher) { $0["event"] == "settled" }
        #expect(names(present) == ["present", "settled"])
        #expect(present[0]["operation"]["id"].integer == there)
        #expect(present[0]["operation"]["key"] == "k")
        #expect(present[1]["operation"] == .null)

        let id = try client.submit(["queue": "mail", "key": "life"])
        try client.succeed("Report", .failed(try client.lease()))
        try client.succeed("Report", .succeeded(try client.lease()))
        let life = try events(watcher) { $0["event"] == "succeeded" }
        #expect(
            names(life) == [
                "accepted", "scheduled", "ready", "leased", "attempt-failed", "scheduled", "ready",
                "leased", "succeeded",
            ])
        #expect(Set(life.map { $0["operation"]["id"].integer }) == [id])
        #expect(life[0]["decision"]["rule"] == "test-retry")
        #expect(life[0]["operation"]["key"] == "life")
        #expect(life[3]["operation"]["state"] == "leased")
        #expect(life[4]["decision"]["rule"] == "test-retry")
        #expect(life.last?["operation"]["state"] == "succeeded")
        let times = life.map { $0["at_usec"].integer ?? 0 }
        #expect(times == times.sorted())
    }

    @Test
    func revivedAndReplacedComeBeforeWhatFollows() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let watcher = try daemon.connect()
        try watcher.send("Watch", [:], .more)
        _ = try events(watcher) { $0["event"] == "settled" }
        let operation: Value = ["queue": "mail", "key": "k", "policy": "slow"]
        let id = try client.submit(operation, "permanent introspect-cause")
        _ = try client.submit(operation, "permanent introspect-cause")
        _ = try client.submit(operation.with(["key_mode": "replace"]), "new-flow")
        try client.succeed("Retry", ["id": .integer(id)])
        try client.succeed("Cancel", ["id": .integer(id)])
        let told = names(try events(watcher) { $0["event"] == "cancelled" })
        #expect(
            told == [
                "accepted", "gave-up", "revived", "gave-up", "replaced", "parked", "revived",
                "ready", "cancelled",
            ])
    }

    @Test
    func signalsAndLossesAreTold() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let watcher = try daemon.connect()
        try watcher.send("Watch", ["filter": ["queue": "mail"]], .more)
        _ = try events(watcher) { $0["event"] == "settled" }
        _ = try client.submit(["queue": "other"])
        _ = try client.submit(["queue": "mail"], "retry custom:door")
        try client.succeed("SetSignal", ["signal": "custom:door", "on": true])
        let worker = try ClientProcess(daemon)
        _ = try worker.client.lease()
        worker.end(.kill)
        let told = names(try events(watcher) { $0["event"] == "lease-lost" })
        #expect(told.filter { $0 != "scheduled" } == [
            "accepted", "held", "ready", "leased", "lease-lost",
        ])
        let given = try client.lease()
        try client.succeed("Release", ["id": given["id"], "token": given["token"]])
        #expect(try events(watcher) { $0["event"] == "released" }.count > 0)
    }

    @Test
    func filtersHoldForTheChangesToo() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let watchers = try (0..<4).map { _ in try daemon.connect() }
        let filters: [Value] = [
            ["key": "b"], ["state": ["dead"]], ["rule": "test-new-flow"], ["queue": "none"],
        ]
        for (watcher, filter) in zip(watchers, filters) {
            try watcher.send("Watch", ["filter": filter], .more)
            #expect(try events(watcher) { $0["event"] == "settled" }.count == 1)
        }
        for key in ["a", "b"] {
            _ = try client.submit(["queue": "mail", "key": .string(key), "policy": "slow"])
        }
        _ = try client.submit(["queue": "mail"], "permanent introspect-cause")
        _ = try client.submit(["queue": "mail"], "new-flow")
        let keyed = try events(watchers[0]) { $0["event"] == "scheduled" }
        #expect(names(keyed) == ["accepted", "scheduled"])
        #expect(keyed[0]["operation"]["key"] == "b")
        #expect(names(try events(watchers[1]) { $0["event"] == "gave-up" }).last == "gave-up")
        #expect(names(try events(watchers[2]) { $0["event"] == "parked" }).last == "parked")
        for watcher in watchers { #expect(try watcher.next(timeoutMs: 30) == nil) }
    }

    @Test
    func aWatchNeedsMore() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        #expect(try client.call("Watch").error == "org.varlink.service.ExpectedMore")
        #expect(try client.call("Watch", ["filter": 1], .more)["parameter"] == "filter")
        #expect(try client.call("Watch", ["all": 1], .more)["parameter"] == "all")
    }

    @Test
    func aChangeIsToldWhenItIsStored() throws {
        let daemon = try Scenario.daemon()
        let disk = try TestDisk(of: daemon)
        try daemon.start()
        let watcher = try daemon.connect()
        try watcher.send("Watch", [:], .more)
        _ = try events(watcher) { $0["event"] == "settled" }
        try disk.set(syncDelayMs: 300)
        let client = try daemon.connect()
        let start = Clocks.monotonicUsec()
        try client.send("Submit", .submit())
        let event = try watcher.receive()
        let tookMs = (Clocks.monotonicUsec() - start) / 1_000
        #expect(event["event"] == "accepted")
        #expect(tookMs >= 300, "\(tookMs) ms")
    }

    /// More operations than a watcher may be behind with: their presence alone closes nothing, and
    /// what changes meanwhile is told behind `settled`.
    @Test
    func aLargeStoreIsWatchedToo() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let item: Value = [
            "operation": ["queue": "mail", "policy": "slow"], "failure": ["test": "retry"],
        ]
        for _ in 0..<18 {
            try client.succeed(
                "SubmitMany", ["items": .array(Array(repeating: item, count: 1_000))])
        }
        let watcher = try daemon.connect()
        try watcher.send("Watch", [:], .more)
        #expect(try watcher.receive()["event"] == "present")
        try client.succeed("Cancel", ["id": 17_000])
        let id = try client.submit(["queue": "late", "policy": "slow"])
        let told = try events(watcher) { $0["operation"]["id"].integer == id }
        let settled = try #require(told.firstIndex { $0["event"] == "settled" })
        let present = told[..<settled]
        #expect(present.allSatisfy { $0["event"] == "present" })
        // The first one was taken above; the cancelled one may or may not have been told yet.
        #expect((17_998...17_999).contains(present.count), "\(present.count)")
        #expect(names(Array(told[(settled + 1)...])) == ["cancelled", "accepted"])
    }

    @Test
    func aWatcherThatDoesNotReadIsClosedAndFillsNoMemory() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let deaf = try daemon.connect()
        try deaf.send("Watch", [:], .more)
        try client.succeed("Status")
        let tags = Value.array(
            (0..<32).map { .string(String(repeating: "t", count: 250) + "\($0)") })
        let item: Value = [
            "operation": ["queue": "mail", "policy": "slow", "tags": tags],
            "failure": ["test": "retry"],
        ]
        let before = try client.succeed("Status")["memory_bytes"].integer ?? 0
        // Two events of 8 KiB each.
        for _ in 0..<80 {
            try client.succeed(
                "SubmitMany", ["items": .array(Array(repeating: item, count: 60))])
        }
        let status = try client.succeed("Status")
        #expect((status["memory_bytes"].integer ?? .max) - before < 80 << 20, "\(status.text)")
        #expect(status["connections"] == 1)
        // It reads what was sent, then the end.
        var count = 0
        while try deaf.next(timeoutMs: 2_000) != nil { count += 1 }
        #expect(try deaf.isClosed())
        #expect(count < 9_601)
    }
}
