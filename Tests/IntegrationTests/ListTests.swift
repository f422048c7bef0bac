import Support
import SystemKit
import Testing

/// List: filters, pages, streams, and readers that take their time.
@Suite
struct ListTests {
    /// Hands over many at once.
    private func fill(
        _ client: WireClient, count: Int, _ operation: (Int) -> Value
    ) throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            let items = (start..<min(start + 1_000, count)).map { number -> Value in
                ["operation": operation(number), "failure": ["test": "retry"]]
            }
            try client.succeed("SubmitMany", ["items": .array(items), "atomic": true])
        }
    }

    @Test
    func filtersNameWhatTheySay() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        func make(_ operation: Value, _ meaning: String = "retry") throws -> Int64 {
            try client.submit(operation.with(["policy": "slow"]), meaning)
        }
        let a = try make(["queue": "a", "key": "k", "destination": "x"])
        let b = try make(["queue": "b", "credential": "c", "destination": "x"])
        let c = try make(["queue": "a"], "permanent introspect-cause")
        let d = try make(["queue": "b", "key": "k"], "retry custom:door")
        let e = try make(["kind": "http"])
        func ids(_ filter: Value) throws -> [Int64?] {
            try client.list(filter).map { $0["id"].integer }
        }
        #expect(try ids([:]) == [a, b, c, d, e])
        #expect(try ids(["queue": "a"]) == [a, c])
        #expect(try ids(["queue": "none"]) == [])
        #expect(try ids(["kind": "http"]) == [e])
        #expect(try ids(["key": "k"]) == [a, d])
        #expect(try ids(["key": "k", "queue": "b"]) == [d])
        #expect(try ids(["key": "kk"]) == [])
        #expect(try ids(["destination": "x"]) == [a, b])
        #expect(try ids(["credential": "c"]) == [b])
        #expect(try ids(["state": ["dead", "held"]]) == [c, d])
        #expect(try ids(["state": []]) == [])
        #expect(try ids(["rule": "test-retry-custom-door"]) == [d])
        #expect(try ids(["owner_uid": .integer(Int64(Credentials.effectiveUser))]).count == 5)
        #expect(try ids(["owner_uid": 12_345]) == [])
        let wrong = try client.call("List", ["filter": ["states": []]])
        #expect(wrong.error == "org.varlink.service.InvalidParameter")
        #expect(wrong["parameter"] == "states")
        #expect(try client.call("List", ["limit": 0])["parameter"] == "limit")
        #expect(try client.call("List", ["offset": 3])["parameter"] == "offset")
    }

    @Test
    func aSummaryHasEveryMemberOfTheInterface() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        _ = try client.submit(["queue": "mail", "policy": "slow", "tags": ["t"]])
        let answer = try client.succeed("List")
        #expect(answer["own"] == .bool(false))
        #expect(answer["cursor"] == .null)
        let summary = answer["operations"][0]
        #expect(
            summary.names == [
                "id", "key", "queue", "kind", "owner_uid", "state", "cause", "due_usec", "reason",
                "until_usec", "attempts", "deferrals", "recoveries", "priority", "rule", "policy",
                "scope", "destination", "credential", "tags", "first_failure_usec", "since_usec",
                "deadline_usec", "others",
            ])
        #expect(summary["reason"] == "backoff-until")
        #expect(summary["until_usec"] == summary["due_usec"])
        #expect(summary["tags"] == ["t"])
        #expect(summary["deadline_usec"] == .null)
        #expect(summary["others"] == [])
        // A deadline and two reasons.
        let deadline = Clocks.realtimeUsec() + 7_200_000_000
        let held = try client.submit(
            ["queue": "mail", "policy": "slow", "deadline_usec": .integer(deadline)],
            "retry when-foreground")
        let second = try client.summary(held)
        #expect(second["deadline_usec"].integer == deadline)
        #expect(second["reason"] == "signal")
        #expect(second["others"].elements.map { $0["code"] } == ["backoff-until"])
        #expect(second["others"][0]["until_usec"] == second["due_usec"])
    }

    @Test
    func pagesFollowEachOtherWithoutGapAndOverlap() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        try fill(client, count: 3_000) { number in
            ["queue": .string("q\(number % 2)"), "policy": "slow"]
        }
        let all = try client.list()
        #expect(all.map { $0["id"].integer } == (1...3_000).map { Int64($0) })
        var seen: [Int64?] = []
        var cursor = Value.null
        repeat {
            let page = try client.succeed(
                "List", ["filter": ["queue": "q1"], "limit": 700, "cursor": cursor])
            seen += page["operations"].elements.map { $0["id"].integer }
            cursor = page["cursor"]
            #expect(page["operations"].elements.count == 700 || cursor == .null)
        } while cursor != .null
        #expect(seen == stride(from: 2, through: 3_000, by: 2).map { Int64($0) })
        // An exact fit says so.
        let last = try client.succeed("List", ["limit": 1_000, "cursor": 2_000])
        #expect(last["operations"].elements.count == 1_000)
        #expect(last["cursor"] == .null)
    }

    @Test
    func aStreamTellsAllPagesByItself() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        try fill(client, count: 2_000) { _ in ["queue": "mail", "policy": "slow"] }
        try client.send("List", [:], .more)
        try client.send("Status")
        var ids: [Int64?] = []
        while true {
            let page = try client.receive()
            ids += page["operations"].elements.map { $0["id"].integer }
            if !page.continues { break }
        }
        #expect(ids == (1...2_000).map { Int64($0) })
        // What was called behind it is answered behind it.
        #expect(try client.receive()["store"] == "serving")
        // A limit holds for the whole of a stream.
        try client.send("List", ["limit": 300], .more)
        var count = 0
        while true {
            let page = try client.receive()
            count += page["operations"].elements.count
            if !page.continues {
                #expect(page["cursor"] == 300)
                break
            }
        }
        #expect(count == 300)
    }

    /// Ids in a table whose slots were freed and used again are not in the order of the slots.
    @Test
    func theOrderIsThatOfIdsHoweverSlotsWereReused() throws {
        let daemon = try Scenario.started(settings: "[retention]\nended-count = 1\n")
        let client = try daemon.connect()
        try fill(client, count: 500) { number in
            ["queue": .string(number % 3 == 0 ? "old" : "kept"), "policy": "slow"]
        }
        #expect(try client.succeed("Cancel", ["filter": ["queue": "old"]])["count"] == 167)
        try fill(client, count: 500) { _ in ["queue": "new", "policy": "slow"] }
        let ids = try client.list(["state": ["scheduled"]]).compactMap { $0["id"].integer }
        #expect(ids.count == 833)
        #expect(ids == ids.sorted())
    }

    /// A page shows what is in memory when it is read, so it may tell of changes that are not
    /// stored yet: it waits for them.
    @Test
    func aListTellsNothingThatIsNotStored() throws {
        let daemon = try Scenario.daemon()
        let disk = try TestDisk(of: daemon)
        try daemon.start()
        let client = try daemon.connect()
        let id = try client.submit(["queue": "mail", "policy": "slow"])
        try disk.set(syncDelayMs: 300)
        let first = try daemon.connect()
        let second = try daemon.connect()
        let lister = try daemon.connect()
        let canceller = try daemon.connect()
        // Batch one is under way; in batch two a write and the list; in batch three the cancel.
        try first.send("Submit", .submit(["queue": "other"]))
        Clocks.sleep(ms: 100)
        try second.send("Submit", .submit(["queue": "other"]))
        try lister.send("List", ["filter": ["queue": "mail"]])
        Clocks.sleep(ms: 300)
        try canceller.send("Cancel", ["id": .integer(id)])
        var cancelledUsec: Int64?
        var listed: (usec: Int64, state: Value)?
        while listed == nil || cancelledUsec == nil {
            if cancelledUsec == nil, try canceller.next(timeoutMs: 1) != nil {
                cancelledUsec = Clocks.monotonicUsec()
            }
            if listed == nil, let answer = try lister.next(timeoutMs: 1) {
                listed = (Clocks.monotonicUsec(), answer["operations"][0]["state"])
            }
        }
        let told = try #require(listed)
        if told.state == "cancelled" {
            #expect(told.usec >= (cancelledUsec ?? .max) - 20_000, "told before it was stored")
        } else {
            #expect(told.state == "scheduled")
        }
    }

    @Test
    func aSlowReaderOfAListFillsNoMemory() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let tags = Value.array(
            (0..<32).map { .string(String(repeating: "t", count: 250) + "\($0)") })
        for start in stride(from: 0, to: 6_000, by: 60) {
            let items = (start..<(start + 60)).map { _ -> Value in
                [
                    "operation": ["queue": "mail", "policy": "slow", "tags": tags],
                    "failure": ["test": "retry"],
                ]
            }
            try client.succeed("SubmitMany", ["items": .array(items)])
        }
        let before = try client.succeed("Status")["memory_bytes"].integer ?? 0
        // 50 MB of answers that nobody reads.
        let slow = try daemon.connect()
        try slow.send("List", [:], .more)
        for _ in 0..<20 {
            Clocks.sleep(ms: 20)
            try client.succeed("Status")
        }
        let during = try client.succeed("Status")["memory_bytes"].integer ?? .max
        #expect(during - before < 30 << 20, "\(before) bytes, then \(during)")
        // It still gets all of it.
        var count = 0
        while true {
            let page = try slow.receive()
            count += page["operations"].elements.count
            if !page.continues { break }
        }
        #expect(count == 6_000)
        // Without `more` there is a bound on the one answer, and a cursor behind it.
        let one = try client.succeed("List", ["limit": 6_000])
        #expect(one["operations"].elements.count < 6_000)
        #expect(one["cursor"] == one["operations"].elements.last?["id"])
        #expect(try client.list().count == 6_000)
    }
}
