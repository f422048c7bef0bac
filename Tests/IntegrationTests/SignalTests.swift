import Support
import SystemKit
import Testing

/// Signals are stored levels: who waits for one that is off is held, whenever it comes on.
@Suite
struct SignalTests {
    private let daemon: PrivateDaemon
    private let client: WireClient
    private let user = Int64(Credentials.effectiveUser)

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    private func set(
        _ signal: String, _ isOn: Bool, _ more: [String: Value] = [:]
    ) throws -> Value {
        let parameters = Value.object(["signal": .string(signal), "on": .bool(isOn)])
        return try client.succeed("SetSignal", parameters.with(more))
    }

    private func signal(_ name: String) throws -> Value {
        let signals = try client.succeed("ListSignals")["signals"].elements
        return signals.first { $0["signal"].string == name } ?? .null
    }

    @Test
    func aLevelSetBeforeItsWaitersCounts() throws {
        #expect(try set("custom:door", true)["released"] == 0)
        let id = try client.submit(["queue": "mail"], "retry custom:door")
        try client.await(id, "ready")
        try daemon.restart()
        let back = try daemon.connect()
        #expect(try back.state(id) == "ready")
        let late = try back.submit(["queue": "mail"], "retry custom:door")
        try back.await(late, "ready")
    }

    @Test
    func settingALevelReleasesItsWaiters() throws {
        let held = try (0..<3).map { _ in
            try client.submit(["queue": "mail"], "retry when-foreground")
        }
        let other = try client.submit(["queue": "mail", "scope": "app:x"], "retry when-foreground")
        #expect(try signal("foreground user:\(user)")["waiting"] == 3)
        #expect(try signal("foreground app:x")["waiting"] == 1)
        let answer = try set("foreground", true)
        #expect(answer["signal"].string == "foreground user:\(user)")
        #expect(answer["on"] == true)
        #expect(answer["released"] == 3)
        for id in held { #expect(try client.state(id) == "ready") }
        #expect(try client.state(other) == "held")
        #expect(try set("foreground", true, ["scope": "app:x"])["released"] == 1)
        let told = try signal("foreground user:\(user)")
        #expect(told["on"] == true)
        #expect(told["setter_uid"].integer == user)
        #expect(told["until_usec"] == .null)
        #expect(told["waiting"] == 0)
        // Off again: what is ready is held.
        _ = try set("foreground", false)
        #expect(try client.state(held[0]) == "held")
    }

    @Test
    func aLevelFallsBackAfterItsTime() throws {
        let id = try client.submit(["queue": "mail"], "retry custom:door")
        let before = Clocks.realtimeUsec()
        _ = try set("custom:door", true, ["ttl_ms": 300])
        #expect(try client.state(id) == "ready")
        let until = try signal("custom:door")["until_usec"].integer ?? 0
        #expect(until >= before + 300_000 && until < before + 2_000_000)
        try client.await(id, "held")
        #expect(Clocks.realtimeUsec() >= before + 300_000)
        #expect(try signal("custom:door")["on"] == .bool(false))
    }

    @Test
    func aLevelLastsWhileItsProcessLives() throws {
        let id = try client.submit(["queue": "mail"], "retry custom:door")
        let first = try ChildProcess.start(["sleep", "60"], input: .null)
        _ = try set("custom:door", true, ["while_pid": .integer(Int64(first.id))])
        #expect(try client.state(id) == "ready")
        first.send(.kill)
        _ = first.wait()
        try client.await(id, "held")
        // Set anew without a process it depends on none.
        let second = try ChildProcess.start(["sleep", "60"], input: .null)
        _ = try set("custom:door", true, ["while_pid": .integer(Int64(second.id))])
        _ = try set("custom:door", true)
        second.send(.kill)
        _ = second.wait()
        Clocks.sleep(ms: 200)
        #expect(try client.state(id) == "ready")
    }

    @Test
    func aLevelOfAProcessEndsWithItAlsoOverARestart() throws {
        let id = try client.submit(["queue": "mail"], "retry custom:door")
        let first = try ChildProcess.start(["sleep", "60"], input: .null)
        let second = try ChildProcess.start(["sleep", "60"], input: .null)
        _ = try set("custom:door", true, ["while_pid": .integer(Int64(first.id))])
        let app: [String: Value] = ["scope": "app:x", "while_pid": .integer(Int64(second.id))]
        _ = try set("foreground", true, app)
        #expect(try signal("foreground app:x")["while_pid"].integer == Int64(second.id))
        // One ends while nobody watches, the other after that.
        daemon.kill()
        first.send(.kill)
        _ = first.wait()
        try daemon.start()
        let back = try daemon.connect()
        try back.await(id, "held")
        let other = try back.submit(
            ["queue": "mail", "scope": "app:x"], "retry when-foreground")
        try back.await(other, "ready")
        second.send(.kill)
        _ = second.wait()
        try back.await(other, "held")
        let levels = try back.succeed("ListSignals")["signals"].elements
        #expect(levels.count > 1 && levels.allSatisfy { $0["while_pid"] == .null })
    }

    @Test
    func userSignalOneMeansTheForegroundOfAllForAMinute() throws {
        let mine = try client.submit(["queue": "mail"], "retry when-foreground")
        let app = try client.submit(["queue": "mail", "scope": "app:x"], "retry when-foreground")
        _ = try client.submit(["queue": "mail", "scope": "app:y"], "retry when-foreground")
        _ = try set("foreground", true, ["scope": "app:y"])
        let before = Clocks.realtimeUsec()
        daemon.send(.user1)
        try client.await(mine, "ready")
        try client.await(app, "ready")
        let until = try signal("foreground app:x")["until_usec"].integer ?? 0
        #expect(until - before > 59_000_000 && until - before < 62_000_000)
        // A level that stands for good is not cut short.
        #expect(try signal("foreground app:y")["until_usec"] == .null)
        // A scope that is named only now has it too.
        let new = try client.submit(["queue": "mail", "scope": "app:z"], "retry when-foreground")
        try client.await(new, "ready")
        // Nor one that lasts longer.
        _ = try set("foreground", true, ["ttl_ms": 3_600_000])
        daemon.send(.user1)
        Clocks.sleep(ms: 100)
        let longer = try signal("foreground user:\(user)")["until_usec"].integer ?? 0
        #expect(longer - before > 3_000_000_000)
    }

    // MARK: Credentials

    @Test
    func arefusedSignInHoldsAllThatNamesItUntilItIsRenewed() throws {
        let named: Value = ["queue": "mail", "credential": "oauth:ann"]
        let waiting = try client.submit(named)
        let other = try client.submit(["queue": "other", "credential": "oauth:ben"])
        try client.await(waiting, "ready")
        let refused = try client.succeed("Submit", .submit(named, "reauthenticate"))
        #expect(refused["state"] == "held")
        #expect(try client.state(waiting) == "held")
        try client.await(other, "ready")
        let why = try client.why(waiting)["primary"]
        #expect(why["code"] == "credential-held")
        #expect(why["signal"] == "credential:oauth:ann")
        // Nothing leases it, not even Retry.
        try client.succeed("Retry", ["id": .integer(waiting)])
        #expect(try client.state(waiting) == "held")
        #expect(try set("credential:oauth:ann", true)["released"] == 2)
        try client.await(waiting, "ready")
    }

    @Test
    func anAttemptFromBeforeTheRenewalHoldsNothingAgain() throws {
        let named: Value = ["queue": "mail", "credential": "oauth:ann"]
        let first = try client.submit(named)
        let second = try client.submit(named)
        let early = try client.lease()
        let late = try client.lease()
        let report = try client.succeed("Report", .failed(early, "reauthenticate"))
        #expect(report["state"] == "held")
        _ = try set("credential:oauth:ann", true)
        try client.await(first, "ready")
        // It began before the renewal.
        let stale = try client.succeed("Report", .failed(late, "reauthenticate"))
        #expect(stale["state"] != "held")
        try client.await(second, "ready")
        #expect(try client.state(first) == "ready")
    }

    @Test
    func whatIsHeldTooLongIsParked() throws {
        let daemon = try Scenario.started(
            settings: "[policy.impatient]\nmax-hold = \"1s\"\n")
        let client = try daemon.connect()
        let id = try client.submit(
            ["queue": "mail", "policy": "impatient"], "retry custom:door")
        #expect(try client.state(id) == "held")
        try client.await(id, "parked")
        #expect(try client.summary(id)["cause"] == "held-too-long")
    }

    @Test
    func aParkedOneIsGivenUpInTheEnd() throws {
        let daemon = try Scenario.started(
            settings: "[policy.impatient]\nmax-park = \"1s\"\n")
        let client = try daemon.connect()
        let id = try client.submit(["queue": "mail", "policy": "impatient"], "new-flow")
        #expect(try client.state(id) == "parked")
        try client.await(id, "dead")
        #expect(try client.summary(id)["cause"] == "parked-too-long")
    }

    // MARK: Refusals

    @Test
    func whatDoesNotFitIsRefusedByItsName() throws {
        let cases: [(String, String)] = [
            (#"{"on": true}"#, "signal: it is needed"),
            (#"{"signal": "network"}"#, "on: it is needed"),
            (#"{"signal": "network", "on": 1}"#, "on: true or false is needed"),
            (
                #"{"signal": "door", "on": true}"#,
                "signal: `foreground`, `network`, `credential:NAME` or `custom:NAME`, not `door`"
            ),
            (
                #"{"signal": "custom:", "on": true}"#,
                "signal: `foreground`, `network`, `credential:NAME` or `custom:NAME`, not `custom:`"
            ),
            (
                #"{"signal": "network", "on": true, "scope": "app:x"}"#,
                "scope: only `foreground` has a scope"
            ),
            (
                #"{"signal": "foreground", "on": true, "scope": "app:"}"#,
                "scope: `user:UID` or `app:NAME`, not `app:`"
            ),
            (
                #"{"signal": "network", "on": true, "ttl_ms": 0}"#,
                "ttl_ms: from 1 to 31536000000, not 0"
            ),
            (#"{"signal": "network", "on": true, "ttl": 5}"#, "ttl: no such parameter"),
        ]
        for (json, reason) in cases {
            let call = #"{"method":"io.retryd.SetSignal","parameters":\#(json)}"#
            try client.send(bytes: Array(call.utf8) + [0])
            let answer = try client.receive()
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            let parameter = answer["parameter"].string ?? ""
            #expect("\(parameter): \(answer["reason"].string ?? "")" == reason)
        }
    }

    @Test
    func aProcessThatIsNotThereHoldsNoLevel() throws {
        let ended = try ChildProcess.start(["true"], input: .null)
        let process = ended.id
        _ = ended.wait()
        let answer = try client.call(
            "SetSignal",
            ["signal": "network", "on": true, "while_pid": .integer(Int64(process))])
        #expect(answer.error == "org.varlink.service.InvalidParameter")
        #expect(answer["parameter"] == "while_pid")
    }
}
