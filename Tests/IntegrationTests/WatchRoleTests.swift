import Support
import Testing

/// Roles of Watch: a handler is told what needs somebody, one at a time; audit is told all.
@Suite
struct WatchRoleTests {
    private func handler(
        _ daemon: PrivateDaemon, _ more: [String: Value] = [:]
    ) throws -> WireClient {
        let client = try daemon.connect()
        try client.send("Watch", Value.object(["role": "handler"]).with(more), .more)
        return client
    }

    @Test
    func aHandlerIsToldWhatNeedsSomebody() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let before = try client.submit(["queue": "mail"], "new-flow")
        _ = try client.submit(["queue": "other", "policy": "slow"])
        let watcher = try handler(daemon)
        let present = try watcher.receive()
        #expect(present["event"] == "present")
        #expect(present["operation"]["id"].integer == before)
        #expect(try watcher.receive()["event"] == "settled")

        let parked = try client.submit(["queue": "mail"], "new-flow")
        let dead = try client.submit(["queue": "mail"], "permanent introspect-cause")
        let fine = try client.submit(["queue": "mail"])
        try client.succeed("Report", .succeeded(try client.lease()))
        try client.succeed("Recover", ["id": .integer(parked), "option": "cancel"])
        var told: [String] = []
        var ids: [Int64?] = []
        for _ in 0..<3 {
            let event = try watcher.receive()
            told.append(event["event"].string ?? "?")
            ids.append(event["operation"]["id"].integer)
        }
        #expect(told == ["parked", "gave-up", "recovered"])
        #expect(ids == [parked, dead, parked])
        #expect(fine > dead)
        #expect(try watcher.next(timeoutMs: 100) == nil)
    }

    @Test
    func theNextHandlerTakesOverWhenTheFirstGoes() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        var first: WireClient? = try handler(daemon)
        #expect(try first?.receive()["event"] == "settled")
        let second = try handler(daemon)
        #expect(try second.receive()["event"] == "standby")
        let third = try handler(daemon)
        #expect(try third.receive()["event"] == "standby")
        let one = try client.submit(["queue": "mail"], "new-flow")
        #expect(try first?.receive()["operation"]["id"].integer == one)
        #expect(try second.next(timeoutMs: 100) == nil)

        first = nil
        let present = try second.receive()
        #expect(present["event"] == "present")
        #expect(present["operation"]["id"].integer == one)
        #expect(try second.receive()["event"] == "settled")
        let two = try client.submit(["queue": "mail"], "new-flow")
        #expect(try second.receive()["operation"]["id"].integer == two)
        #expect(try third.next(timeoutMs: 100) == nil)
    }

    @Test
    func auditIsToldEverythingBesideAHandler() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let watcher = try handler(daemon)
        #expect(try watcher.receive()["event"] == "settled")
        let audit = try (0..<2).map { _ in
            let client = try daemon.connect()
            try client.send("Watch", ["role": "audit"], .more)
            #expect(try client.receive()["event"] == "settled")
            return client
        }
        let id = try client.submit(["queue": "mail"], "new-flow")
        for client in audit {
            #expect(try client.receive()["event"] == "accepted")
            #expect(try client.receive()["event"] == "parked")
        }
        #expect(try watcher.receive()["operation"]["id"].integer == id)
    }

    @Test
    func rolesAreRefusedByName() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let answer = try client.call("Watch", ["role": "boss"], .more)
        #expect(answer.error == "org.varlink.service.InvalidParameter")
        #expect(answer["parameter"] == "role")
    }

    @Test
    func handlersAreTheOwners() throws {
        guard BuiltProgram.isRoot else { return }
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let ann = try ClientProcess(daemon, user: 4_242)
        let hers = try handler(daemon, ["filter": ["owner_uid": 4_242]])
        #expect(try hers.receive()["event"] == "settled")
        try ann.client.send("Watch", ["role": "handler", "filter": ["owner_uid": 0]], .more)
        #expect(try ann.client.receive().error == "io.retryd.PermissionDenied")
        _ = try client.submit(["queue": "mail"], "new-flow")
        let other = try ClientProcess(daemon, user: 4_242)
        let id = try other.client.submit(["queue": "mail"], "new-flow")
        #expect(try hers.receive()["operation"]["id"].integer == id)
    }
}
