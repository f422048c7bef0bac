import Support
import SystemKit
import Testing

/// What ordinary users may do: theirs, and nothing else.
///
/// Root plays them, each in a process of its own.
@Suite(.enabled(if: BuiltProgram.isRoot, "needs root, which plays other users"))
struct RightsTests {
    private static let ann: UInt32 = 4_242
    private static let ben: UInt32 = 4_243
    private static let system: UInt32 = 142

    private func denied(
        _ client: WireClient, _ method: String, _ parameters: Value
    ) throws -> String {
        let answer = try client.call(method, parameters)
        #expect(answer.error == "io.retryd.PermissionDenied", "\(method): \(answer)")
        return answer["reason"].string ?? ""
    }

    @Test
    func anOwnerSeesAndChangesHerOwnOnly() throws {
        let daemon = try Scenario.started()
        let root = try daemon.connect()
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let theirs = try root.submit(["queue": "mail", "policy": "slow"])
        let hers = try ann.client.submit(["queue": "mail", "policy": "slow"])
        #expect(try root.summary(hers)["owner_uid"].integer == 4_242)
        #expect(try root.summary(hers)["scope"] == "user:4242")

        let list = try ann.client.succeed("List")
        #expect(list["operations"].elements.map { $0["id"].integer } == [hers])
        #expect(list["own"] == true)
        #expect(try root.succeed("List")["own"] == .bool(false))
        #expect(try root.list().count == 2)
        #expect(try ann.client.list(["owner_uid": 0]) == [])

        for method in ["Get", "Why", "History", "Cancel", "Retry"] {
            // The same answer as for an id that nobody has: ids cannot be probed.
            for id in [theirs, 999] {
                let answer = try ann.client.call(method, ["id": .integer(id)])
                #expect(answer.error == "io.retryd.NoSuchOperation", "\(method): \(answer)")
                #expect(answer.parameters == ["id": .integer(id)])
            }
        }
        let filter: Value = ["filter": ["queue": "mail"]]
        #expect(try ann.client.succeed("Retry", filter) == ["count": 1])
        #expect(try ann.client.succeed("Cancel", filter) == ["count": 1])
        #expect(try root.state(theirs) == "scheduled")
        let status = try ann.client.succeed("Status")
        #expect(status["counts"]["scheduled"] == 0)
        // Nothing in it is of others.
        #expect(status["sentence"] == "0 of yours waiting")
        #expect(status["next_usec"] == .null)
        let all = try root.succeed("Status")
        #expect(all["counts"]["scheduled"] == 1)
        #expect(all["sentence"].string?.hasPrefix("1 waiting") == true)
        #expect(try denied(ann.client, "Reload", [:]).contains("retryd-admin"))
    }

    @Test
    func aWatcherIsToldOfHerOwnOnly() throws {
        let daemon = try Scenario.started()
        let root = try daemon.connect()
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let sender = try ClientProcess(daemon, user: RightsTests.ann)
        _ = try root.submit(["queue": "mail", "policy": "slow"])
        try ann.client.send("Watch", [:], .more)
        #expect(try ann.client.receive()["event"] == "settled")
        _ = try root.submit(["queue": "mail", "policy": "slow"])
        let hers = try sender.client.submit(["queue": "mail", "policy": "slow"])
        #expect(try ann.client.receive()["operation"]["id"].integer == hers)
    }

    @Test
    func keysAndEventsBelongToTheirOwner() throws {
        let daemon = try Scenario.started()
        let root = try daemon.connect()
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let call: Value = [
            "operation": ["queue": "mail", "key": "k", "policy": "slow"],
            "failure": ["test": "retry", "event_id": "e"],
        ]
        let theirs = try root.succeed("Submit", call)
        let hers = try ann.client.succeed("Submit", call)
        #expect(hers["existing"] == false)
        #expect(hers["duplicate"] == false)
        #expect(hers["id"] != theirs["id"])
        #expect(try ann.client.list(["key": "k"]).map { $0["id"] } == [hers["id"]])
        #expect(try root.list(["key": "k"]).count == 2)
    }

    @Test
    func membersOfTheAdminGroupSeeAll() throws {
        let daemon = try Scenario.started(settings: "[admin]\ngroup = \"daemon\"\n")
        let group = try #require(try UserDatabase.groupID(name: "daemon"))
        let root = try daemon.connect()
        let id = try root.submit(["queue": "mail", "policy": "slow"])
        let member = try ClientProcess(
            daemon, user: RightsTests.ann, groups: [4_999, group])
        #expect(try member.client.state(id) == "scheduled")
        #expect(try member.client.succeed("List")["own"] == .bool(false))
        #expect(try member.client.succeed("Reload")["rules"] != .null)
        #expect(try member.client.succeed("Cancel", ["id": .integer(id)]) == ["count": 1])
        let main = try ClientProcess(daemon, user: RightsTests.ann, group: group)
        #expect(try main.client.state(id) == "cancelled")
        let other = try ClientProcess(daemon, user: RightsTests.ann, groups: [4_999])
        #expect(try denied(other.client, "Reload", [:]).hasSuffix("daemon"))
    }

    // MARK: Submitting

    @Test
    func commandsOfSystemUsersAreRefusedUnlessListed() throws {
        let daemon = try Scenario.started()
        let command: Value = .submit(["kind": "command", "payload": ["argv": ["true"]]])
        let system = try ClientProcess(daemon, user: RightsTests.system)
        #expect(
            try denied(system.client, "Submit", command)
                == "commands of user 142 are not taken; list it in `[command] allow-users`")
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        #expect(try ann.client.call("Submit", command).error == nil)
        // The daemon's own user always may.
        #expect(try daemon.connect().call("Submit", command).error == nil)
        try daemon.write("[command]\nallow-users = [142]\n", to: "retryd.toml.d/more.toml")
        daemon.send(.hangUp)
        let root = try daemon.connect()
        _ = try root.succeed("Reload")
        #expect(try system.client.call("Submit", command).error == nil)
    }

    @Test
    func unitsAreForAdmins() throws {
        let daemon = try Scenario.started()
        let unit: Value = .submit(["kind": "unit", "payload": ["unit": "x.service"]])
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        #expect(
            try denied(ann.client, "Submit", unit) == "kind unit is for root and retryd-admin")
        #expect(try daemon.connect().call("Submit", unit).error == nil)
    }

    @Test
    func aQueueCanHaveItsSubmitters() throws {
        let daemon = try Scenario.started(
            settings: "[queue.\"mail.send\"]\nsubmitters = [4243]\n")
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let ben = try ClientProcess(daemon, user: RightsTests.ben)
        let call = Value.submit(["queue": "mail.send"])
        #expect(
            try denied(ann.client, "Submit", call)
                == "user 4242 is not among the submitters of queue `mail.send`; "
                + "see `[queue.mail.send] submitters`")
        let many = try ann.client.succeed("SubmitMany", ["items": [call, .submit()]])
        #expect(many["results"][0]["error"] == "io.retryd.PermissionDenied")
        #expect(many["results"][1]["submitted"]["existing"] == .bool(false))
        let atomic = try ann.client.call("SubmitMany", ["items": [call], "atomic": true])
        #expect(atomic.error == "io.retryd.PermissionDenied")
        #expect(try ben.client.call("Submit", call).error == nil)
    }

    @Test
    func nobodyWaitsForAnothersForeground() throws {
        let daemon = try Scenario.started()
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let reason = try denied(
            ann.client, "Submit", .submit(["queue": "mail", "scope": "user:4243"]))
        #expect(reason.hasPrefix("user:4243 is the foreground of another user"))
        #expect(
            try ann.client.call("Submit", .submit(["queue": "mail", "scope": "user:4242"])).error
                == nil)
        #expect(
            try daemon.connect().call(
                "Submit", .submit(["queue": "mail", "scope": "user:4243"])
            ).error == nil)
    }

    // MARK: Signals

    @Test
    func signalsBelongToTheirOwner() throws {
        let daemon = try Scenario.started()
        let root = try daemon.connect()
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let ben = try ClientProcess(daemon, user: RightsTests.ben)
        func set(_ client: WireClient, _ signal: String, _ more: [String: Value] = [:]) throws
            -> WireClient.Answer
        {
            let parameters = Value.object(["signal": .string(signal), "on": true])
            return try client.call("SetSignal", parameters.with(more))
        }
        let named: Value = ["queue": "mail", "credential": "c", "scope": "app:x"]
        let hers = try ann.client.submit(named, "retry custom:door")
        let his = try ben.client.submit(named, "retry custom:door")
        // The same words, another's signal.
        #expect(try set(ben.client, "custom:door")["released"] == 1)
        #expect(try ann.client.state(hers) == "held")
        try ben.client.await(his, "ready")
        for (signal, more) in [
            ("network", [:]), ("foreground", ["scope": "user:4243"]),
            ("custom:door", ["owner_uid": 4_243]), ("credential:c", ["owner_uid": 0]),
        ] as [(String, [String: Value])] {
            #expect(
                try set(ann.client, signal, more).error == "io.retryd.PermissionDenied",
                "\(signal)")
        }
        #expect(try set(ann.client, "foreground", ["scope": "user:4242"]).error == nil)
        // An admin may, for whom he names.
        #expect(try set(root, "custom:door", ["owner_uid": 4_242])["released"] == 1)
        #expect(try set(root, "network").error == nil)
        #expect(try set(root, "foreground", ["scope": "user:4243"]).error == nil)
        let shown = try ann.client.succeed("ListSignals")["signals"].elements
        #expect(
            Set(shown.compactMap { $0["signal"].string })
                == [
                    "foreground app:x", "credential:c", "custom:door", "foreground user:4242",
                    "network",
                ])
        #expect(try root.succeed("ListSignals")["signals"].elements.count > shown.count)
        // Another's process keeps no level of hers.
        let process = ProcessIdentity.own.process
        let foreign = try set(ann.client, "custom:door", ["while_pid": .integer(Int64(process))])
        #expect(foreign.error == "org.varlink.service.InvalidParameter")
        #expect(foreign["parameter"] == "while_pid")
    }

    // MARK: Working

    @Test
    func aWorkerGetsHisOwnAndThoseOfQueuesHeIsNamedFor() throws {
        let daemon = try Scenario.started(settings: "[queue.shared]\nworkers = [4243]\n")
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let ben = try ClientProcess(daemon, user: RightsTests.ben)
        let root = try daemon.connect()
        let shared = try ann.client.submit(["queue": "shared"])
        let own = try ann.client.submit(["queue": "own"])
        let command = try ann.client.submit(
            ["kind": "command", "payload": ["argv": ["true"]]])
        for id in [shared, own, command] { try ann.client.await(id, "ready") }
        func leased(_ client: WireClient, _ queues: Value) throws -> [Int64?] {
            try client.succeed("Lease", ["queues": queues, "max": 9])["operations"].elements
                .map { $0["id"].integer }
        }
        #expect(try leased(ben.client, ["own", "shared", "command"]) == [shared])
        // Root runs the reserved queues for all, and others for itself.
        #expect(try leased(root, ["own", "shared", "command"]) == [command])
        #expect(try leased(ann.client, ["own", "shared", "command"]) == [own])
    }

    @Test
    func onlyWhoRunsItReportsOnIt() throws {
        let daemon = try Scenario.started(
            settings: """
                [queue.shared]
                workers = [4243]
                [limits]
                reconnect-grace = "100ms"
                """)
        let ann = try ClientProcess(daemon, user: RightsTests.ann)
        let ben = try ClientProcess(daemon, user: RightsTests.ben)
        let mallory = try ClientProcess(daemon, user: 4_244)
        let id = try ann.client.submit(["queue": "shared"])
        let leased = try ben.client.lease("shared")
        #expect(leased["owner_uid"].integer == 4_242)
        for (method, parameters) in [
            ("Report", Value.succeeded(leased)),
            ("Extend", ["id": leased["id"], "token": leased["token"]]),
            ("Release", ["id": leased["id"], "token": leased["token"]]),
        ] {
            #expect(
                try mallory.client.call(method, parameters).error == "io.retryd.NoSuchOperation",
                "\(method)")
        }
        // Another process of the worker's user, after the lease was lost.
        ben.end(.kill)
        try ann.client.await(id, "ready")
        let back = try ClientProcess(daemon, user: RightsTests.ben)
        let report = Value.failed(leased, "new-flow", failure: ["event_id": "secret-event"])
        #expect(try back.client.succeed("Report", report)["state"] == "parked")
        // The decision on an event is nobody else's to learn.
        #expect(
            try mallory.client.call("Report", report).error == "io.retryd.NoSuchOperation")
        #expect(try back.client.succeed("Report", report)["duplicate"] == true)
        let history = try ann.client.succeed("History", ["id": .integer(id)])["attempts"].elements
        #expect(
            history.map { $0["outcome"] } == ["failed", "lost", "failed", "duplicate"])
        #expect(history[2]["uid"] == 4_243)
        let hidden = try back.client.call("Get", ["id": .integer(id)])
        #expect(hidden.error == "io.retryd.NoSuchOperation")
    }
}
