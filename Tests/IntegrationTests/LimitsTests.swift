import RetryModel
import Support
import SystemKit
import Testing

/// Bounds: each is named when it is met, and nobody else feels it.
@Suite
struct LimitsTests {
    @Test
    func operationsAreBounded() throws {
        let daemon = try Scenario.started(
            settings: "[limits]\noperations = 5\noperations-per-user = 2\n")
        let root = try daemon.connect()
        let slow: Value = ["queue": "mail", "policy": "slow"]
        if BuiltProgram.isRoot {
            let ann = try ClientProcess(daemon, user: 4_242)
            let first = try ann.client.submit(slow)
            _ = try ann.client.submit(slow)
            let over = try ann.client.call("Submit", .submit(slow))
            #expect(over.error == "io.retryd.QuotaExceeded")
            #expect(over["limit"] == "operations-per-user")
            #expect(over["reason"] == "you have as many operations as one user may")
            // An end makes room, and a given up one takes none.
            try ann.client.succeed("Cancel", ["id": .integer(first)])
            _ = try ann.client.submit(slow, "permanent introspect-cause")
            _ = try ann.client.submit(slow)
        } else {
            _ = try root.submit(slow)
            _ = try root.submit(slow)
        }
        // Root is excepted from the one, not from the other.
        for _ in 0..<(BuiltProgram.isRoot ? 3 : 0) { _ = try root.submit(slow) }
        let over = try root.call("Submit", .submit(slow))
        #expect(over.error == "io.retryd.QuotaExceeded")
        if BuiltProgram.isRoot {
            #expect(over["limit"] == "operations")
            #expect(over["reason"] == "the daemon holds as many operations as it may")
        }
        // What is there goes on.
        let id = try #require(try root.list(["state": ["scheduled"]]).last?["id"])
        try root.succeed("Retry", ["id": id])
        #expect(try root.lease()["id"] == id)
    }

    @Test
    func connectionsAreBounded() throws {
        let daemon = try Scenario.started(settings: "[limits]\nconnections = 5\n")
        var clients = try (0..<5).map { _ in try daemon.connect() }
        for client in clients { try client.succeed("Status") }
        let sixth = try daemon.connect()
        let refused = try sixth.receive()
        #expect(refused.error == "io.retryd.QuotaExceeded")
        #expect(refused["limit"] == "connections")
        #expect(try sixth.isClosed())
        try daemon.awaitError("refused: the limit `connections` is reached")
        clients.removeLast()
        // The daemon has seen the end of one before it takes the next.
        while try clients[0].succeed("Status")["connections"] != 4 { Clocks.sleep(ms: 2) }
        let next = try daemon.connect()
        try next.succeed("Status")
    }

    @Test(.enabled(if: BuiltProgram.isRoot, "needs root, which plays other users"))
    func connectionsOfOneUserAreBounded() throws {
        let daemon = try Scenario.started(settings: "[limits]\nconnections-per-user = 2\n")
        let ann = try (0..<2).map { _ in try ClientProcess(daemon, user: 4_242) }
        for process in ann { try process.client.succeed("Status") }
        let third = try ClientProcess(daemon, user: 4_242)
        let refused = try third.client.receive()
        #expect(refused["limit"] == "connections-per-user")
        #expect(refused["reason"].string?.contains("[limits] connections-per-user") == true)
        #expect(try third.client.isClosed())
        // The journal has a thread of its own.
        for _ in 0..<200 where !daemon.errors.contains("the limit `connections-per-user`") {
            Clocks.sleep(ms: 10)
        }
        try daemon.awaitError("the limit `connections-per-user`")
        // Others and root are not concerned.
        try ClientProcess(daemon, user: 4_243).client.succeed("Status")
        let roots = try (0..<5).map { _ in try daemon.connect() }
        for client in roots { try client.succeed("Status") }
        // Their connections count as long as they live.
        withExtendedLifetime(ann) {}
    }

    @Test
    func whoIsRefusedAgainAndAgainFillsNoJournal() throws {
        let daemon = try Scenario.started(settings: "[limits]\nconnections = 1\n")
        let client = try daemon.connect()
        try client.succeed("Status")
        for _ in 0..<400 {
            let refused = try daemon.connect()
            #expect(try refused.receive()["limit"] == "connections")
            #expect(try refused.isClosed())
        }
        let lines = daemon.errors.split(separator: "\n").filter { $0.contains("refused") }
        #expect(lines.count >= 100 && lines.count < 200, "\(lines.count) lines")
    }

    @Test
    func manyConnectionsAreServed() throws {
        let daemon = try Scenario.started()
        let clients = try (0..<1_000).map { _ in try daemon.connect() }
        for client in clients {
            try client.send("Submit", .submit(["queue": "mail", "policy": "slow"]))
        }
        for client in clients { #expect(try client.receive().error == nil) }
        #expect(try clients[0].succeed("Status")["connections"] == 1_000)
        #expect(try clients[999].list().count == 1_000)
    }

    /// Who leaves its answers unread is not read from any more, so it cannot fill the memory.
    @Test
    func aClientThatReadsNoAnswersIsThrottled() throws {
        let daemon = try Scenario.started()
        let other = try daemon.connect()
        let before = try other.succeed("Status")["memory_bytes"].integer ?? 0
        let deaf = try daemon.connect()
        let call = WireClient.message(
            "org.varlink.service.GetInterfaceDescription", ["interface": "io.retryd"])
        let calls = Array(repeatElement(call, count: 20_000).joined())
        var sent = 0
        let endUsec = Clocks.monotonicUsec() + 1_000_000
        while sent < calls.count, Clocks.monotonicUsec() < endUsec {
            sent += try deaf.sendSome(bytes: Array(calls[sent..<min(sent + 65_536, calls.count)]))
            try other.succeed("Status")
        }
        // 200 MB of answers were asked for.
        #expect(sent < calls.count)
        let after = try other.succeed("Status")["memory_bytes"].integer ?? .max
        #expect(after - before < 24 << 20, "\(before) bytes, then \(after)")
        // It reads at last: every call is answered.
        var answers = 0
        while answers < sent / call.count {
            #expect(try deaf.receive().error == nil)
            answers += 1
        }
        let rest = sent % call.count
        if rest > 0 {
            try deaf.send(bytes: Array(call[rest...]))
            #expect(try deaf.receive().error == nil)
        }
        try deaf.succeed("Status")
    }

    /// Calls whose answers must be read from the disk: they are not read all at once either.
    @Test(arguments: ["Get", "History", "Lease"])
    func aClientThatReadsNoPayloadsIsThrottled(method: String) throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let payload = Value.string(String(repeating: "x", count: 250_000))
        let count = method == "Lease" ? 80 : 1
        var id: Int64 = 0
        for _ in 0..<count { id = try client.submit(["queue": "big", "payload": payload]) }
        if method == "Lease" { try client.await(id, "ready") }
        let before = try client.succeed("Status")["memory_bytes"].integer ?? 0
        let deaf = try daemon.connect()
        switch method {
        case "Lease":
            for _ in 0..<40 { try deaf.send("Lease", ["queues": ["big"], "max": 80]) }
        default:
            let call = WireClient.message(method, ["id": .integer(id)])
            _ = try deaf.sendSome(bytes: Array(repeatElement(call, count: 800).joined()))
        }
        var most: Int64 = 0
        for _ in 0..<50 {
            most = max(most, try client.succeed("Status")["memory_bytes"].integer ?? .max)
            Clocks.sleep(ms: 10)
        }
        #expect(most - before < 40 << 20, "\(before) bytes, then \(most)")
        // Every call is answered when it reads at last.
        if method == "Lease" {
            var operations = 0
            for _ in 0..<40 { operations += try deaf.receive()["operations"].elements.count }
            #expect(operations == 80)
        } else {
            for _ in 0..<800 { #expect(try deaf.receive()["id"] != "") }
        }
        try deaf.succeed("Status")
    }

    /// Many connections of one user have a bound together, and others are served meanwhile.
    @Test(.enabled(if: BuiltProgram.isRoot, "needs root, which plays other users"))
    func whatAUserLeavesUnreadIsBounded() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let ann = try ClientProcess(daemon, user: 4_242)
        let payload = Value.string(String(repeating: "x", count: 250_000))
        let id = try ann.client.submit(["queue": "big", "policy": "slow", "payload": payload])
        let before = try client.succeed("Status")["memory_bytes"].integer ?? 0
        let call = WireClient.message("Get", ["id": .integer(id)])
        let path = "\(daemon.directory.path)/calls"
        try Files.writeAtomically(
            path, Array(repeatElement(call, count: 12).joined()), mode: 0o644)
        // Each of them alone stays within what one connection may have: 300 MB together.
        let deaf = try ChildProcess.start(
            ["python3", "-c", LimitsTests.deafClients, daemon.socket, path, "4242", "100"],
            input: .null)
        var most: Int64 = 0
        for _ in 0..<100 {
            try client.send("Status")
            let status = try client.receive(timeoutMs: 120_000)
            most = max(most, status["memory_bytes"].integer ?? .max)
            Clocks.sleep(ms: 10)
        }
        let bound = Int64(Limits.outputBytesPerUserMax) * 5
        #expect(most - before < bound, "\(before) bytes, then \(most)")
        #expect(most - before > 8 << 20, "the clients did nothing")
        deaf.send(.kill)
        _ = deaf.wait()
        #expect(try ann.client.summary(id)["id"] == .integer(id))
    }

    /// Connections of another user that ask and do not read.
    private static let deafClients = """
        import os, socket, sys, time
        path, calls, user, count = sys.argv[1], open(sys.argv[2], "rb").read(), *sys.argv[3:]
        os.setgid(int(user))
        os.setuid(int(user))
        sockets = []
        for _ in range(int(count)):
            one = socket.socket(socket.AF_UNIX)
            one.connect(path)
            one.setblocking(False)
            one.send(calls)
            sockets.append(one)
        time.sleep(60)
        """

    @Test(.enabled(if: BuiltProgram.isRoot, "needs root, which plays other users"))
    func bytesOfOneUserAreBounded() throws {
        let daemon = try Scenario.started(settings: "[limits]\nbytes-per-user = \"16K\"\n")
        let ann = try ClientProcess(daemon, user: 4_242)
        let large: Value = [
            "queue": "mail", "policy": "slow",
            "payload": .string(String(repeating: "x", count: 7_000)),
        ]
        let first = try ann.client.submit(large)
        _ = try ann.client.submit(large)
        #expect(try ann.client.call("Submit", .submit(large))["limit"] == "bytes-per-user")
        // What is kept on disk is known after a restart.
        daemon.kill()
        try daemon.start()
        let again = try ClientProcess(daemon, user: 4_242)
        let over = try again.client.call("Submit", .submit(large))
        #expect(over.error == "io.retryd.QuotaExceeded")
        #expect(over["limit"] == "bytes-per-user")
        let many = try again.client.call(
            "SubmitMany", ["items": [.submit(large)], "atomic": true])
        #expect(many["limit"] == "bytes-per-user")
        try again.client.succeed("Cancel", ["id": .integer(first)])
        // Others and root are not concerned.
        _ = try ClientProcess(daemon, user: 4_243).client.submit(large)
        let root = try daemon.connect()
        for _ in 0..<4 { _ = try root.submit(large) }
    }

    @Test
    func moreThanATurnTakesCanBePipelined() throws {
        let daemon = try Scenario.daemon()
        let disk = try TestDisk(of: daemon)
        try daemon.start()
        let client = try daemon.connect()
        // While the first one is stored, the others wait: more than one connection may have.
        try disk.set(syncDelayMs: 200)
        var bytes: [UInt8] = []
        for _ in 0..<3_000 {
            bytes += WireClient.message("Submit", .submit(["queue": "mail", "policy": "slow"]))
        }
        let sender = try daemon.connect()
        try sender.send(bytes: bytes)
        Clocks.sleep(ms: 100)
        try disk.repair()
        for number in 1...3_000 {
            #expect(try sender.receive()["id"].integer == Int64(number))
        }
        try client.succeed("Status")
    }

    /// Clients that keep the daemon busy do not keep others from connecting.
    @Test
    func newClientsAreTakenWhileOthersAreBusy() throws {
        let daemon = try Scenario.started()
        let path = daemon.socket
        let call = WireClient.message(
            "Submit", .submit(["queue": "mail", "policy": "slow", "payload": "x"]))
        let calls = Array(repeatElement(call, count: 100).joined())
        let stop = StopSign()
        try withThreads(6, named: "busy") { _ in
            guard let client = try? WireClient(path) else { return }
            while !stop.isSet {
                guard (try? client.send(bytes: calls)) != nil else { return }
                for _ in 0..<100 { guard (try? client.receive()) != nil else { return } }
            }
        } meanwhile: {
            defer { stop.set() }
            Clocks.sleep(ms: 200)
            for _ in 0..<10 {
                let start = Clocks.monotonicUsec()
                try daemon.connect().succeed("Status")
                let tookMs = (Clocks.monotonicUsec() - start) / 1_000
                #expect(tookMs < 3_000, "\(tookMs) ms")
            }
        }
    }

    @Test
    func withoutDescriptorsItWaitsAndGoesOn() throws {
        let daemon = try Scenario.daemon()
        daemon.wrapper = ["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"]
        try daemon.start()
        let first = try daemon.connect()
        _ = try first.submit(["queue": "mail", "policy": "slow"])
        var clients: [WireClient] = []
        for _ in 0..<80 { clients.append(try daemon.connect()) }
        // The last ones stay in the queue of the socket.
        for client in clients { try client.send("Status") }
        #expect(try clients[0].receive().error == nil)
        #expect(try clients[79].next(timeoutMs: 300) == nil)
        #expect(
            daemon.errors.contains("No further connections are taken for now"),
            "\(daemon.errors)")
        // It does not spin meanwhile.
        let before = try processorMs(daemon.process)
        Clocks.sleep(ms: 500)
        let usedMs = try processorMs(daemon.process) - before
        #expect(usedMs < 150, "\(usedMs) ms of processor in 500 ms")
        #expect(try first.succeed("Status")["store"] == "serving")
        // A worker whose process cannot be watched gets its work all the same.
        try first.succeed("Retry", ["filter": [:]])
        _ = try first.lease()
        let last = clients.removeLast()
        clients.removeAll()
        #expect(try last.receive()["store"] == "serving")
        let warnings = daemon.errors.split(separator: "\n").filter {
            $0.contains("No further connections")
        }
        #expect(warnings.count <= 5, "\(warnings.count)")
    }

    /// Processor time a process has used.
    private func processorMs(_ process: Int32) throws -> Int64 {
        let bytes = try Files.readAll("/proc/\(process)/stat", bytesMax: 4_096)
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")")[1]
            .split(separator: " ")
        // utime and stime, proc(5), in hundredths of a second.
        return ((Int64(fields[11]) ?? 0) + (Int64(fields[12]) ?? 0)) * 10
    }
}
