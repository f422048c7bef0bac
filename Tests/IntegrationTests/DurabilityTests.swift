import Support
import SystemKit
import Testing

/// No answer comes before what it tells is on stable storage: each sync takes 300 ms here.
@Suite
struct DurabilityTests {
    private static let delayMs: Int64 = 300

    /// A daemon with three operations that are ready, and a disk that is slow from now on.
    private func slow() throws -> (PrivateDaemon, TestDisk, WireClient) {
        let daemon = try Scenario.daemon()
        let disk = try TestDisk(of: daemon)
        try daemon.start()
        let client = try daemon.connect()
        for _ in 0..<3 { try client.await(try client.submit(), "ready") }
        try disk.set(syncDelayMs: Int(DurabilityTests.delayMs))
        return (daemon, disk, client)
    }

    /// How long a call takes to be answered.
    private func tookMs(
        _ client: WireClient, _ method: String, _ parameters: Value = [:]
    ) throws -> (ms: Int64, answer: WireClient.Answer) {
        let start = Clocks.monotonicUsec()
        let answer = try client.call(method, parameters)
        #expect(answer.error == nil, "\(method): \(answer)")
        return ((Clocks.monotonicUsec() - start) / 1_000, answer)
    }

    @Test
    func noWriteIsAnsweredEarlier() throws {
        let (daemon, _, client) = try slow()
        // A sync of the test's start may be under way.
        _ = try client.submit(["queue": "other", "policy": "slow"])
        let submit = try tookMs(client, "Submit", .submit(["queue": "x", "policy": "slow"]))
        #expect(submit.ms >= DurabilityTests.delayMs)
        let many = try tookMs(
            client, "SubmitMany", ["items": [.submit(["queue": "x", "policy": "slow"])]])
        #expect(many.ms >= DurabilityTests.delayMs)
        let lease = try tookMs(client, "Lease", ["queues": ["mail"], "max": 2])
        #expect(lease.ms >= DurabilityTests.delayMs)
        let leased = lease.answer["operations"].elements
        let report = try tookMs(client, "Report", .failed(leased[0]))
        #expect(report.ms >= DurabilityTests.delayMs)
        let release = try tookMs(
            client, "Release", ["id": leased[1]["id"], "token": leased[1]["token"]])
        #expect(release.ms >= DurabilityTests.delayMs)
        let signal = try tookMs(client, "SetSignal", ["signal": "custom:door", "on": true])
        #expect(signal.ms >= DurabilityTests.delayMs)
        let retry = try tookMs(client, "Retry", ["id": submit.answer["id"]])
        #expect(retry.ms >= DurabilityTests.delayMs)
        let cancel = try tookMs(client, "Cancel", ["filter": ["queue": "x"]])
        #expect(cancel.ms >= DurabilityTests.delayMs)
        // Reads with nothing unanswered before them wait for nothing.
        #expect(try tookMs(client, "Status").ms < DurabilityTests.delayMs)
        #expect(try tookMs(client, "List").ms < DurabilityTests.delayMs)
        _ = daemon
    }

    @Test
    func readsBehindAnUnansweredWriteWaitToo() throws {
        let (daemon, _, client) = try slow()
        let writer = try daemon.connect()
        for (method, parameters) in [
            ("Status", [:]), ("List", [:]), ("Get", ["id": 1]), ("Why", ["id": 1]),
            ("History", ["id": 1]), ("ListSignals", [:]), ("Extend", [:]),
        ] as [(String, Value)] {
            let start = Clocks.monotonicUsec()
            try writer.send("Submit", .submit(["queue": "other", "policy": "slow"]))
            // The write is in the batch once the daemon has read it.
            Clocks.sleep(ms: 50)
            if method == "Extend" {
                // A refusal tells nothing that could be undone, and has its place all the same.
                #expect(try client.call(method, parameters).error != nil)
            } else {
                try client.succeed(method, parameters)
            }
            let tookMs = (Clocks.monotonicUsec() - start) / 1_000
            #expect(tookMs >= DurabilityTests.delayMs, "\(method): \(tookMs) ms")
            _ = try writer.receive()
        }
    }

    @Test
    func manyWritesShareOneSync() throws {
        let (daemon, _, _) = try slow()
        let clients = try (0..<8).map { _ in try daemon.connect() }
        let start = Clocks.monotonicUsec()
        for client in clients {
            let call = WireClient.message("Submit", .submit(["queue": "x", "policy": "slow"]))
            try client.send(bytes: Array(repeatElement(call, count: 50).joined()))
        }
        for client in clients {
            for _ in 0..<50 { #expect(try client.receive().error == nil) }
        }
        let tookMs = (Clocks.monotonicUsec() - start) / 1_000
        // 400 syncs of their own would take two minutes.
        #expect(tookMs >= DurabilityTests.delayMs && tookMs < 6_000, "\(tookMs) ms")
    }

    @Test
    func whatWasAnsweredIsThereAfterAnEndInTheMiddleOfACommit() throws {
        let (daemon, disk, client) = try slow()
        let answered = try client.submit(["queue": "x", "policy": "slow"])
        let other = try daemon.connect()
        try other.send("Submit", .submit(["queue": "x", "policy": "slow"]))
        Clocks.sleep(ms: 50)
        let start = Clocks.monotonicUsec()
        #expect(daemon.stop() == .exited(code: 0))
        #expect((Clocks.monotonicUsec() - start) / 1_000 < 3_000)
        // What the commit in flight holds was answered before the end.
        let last = try other.receive()["id"].integer
        try disk.repair()
        try daemon.start()
        let back = try daemon.connect()
        let ids = try back.list(["queue": "x"]).map { $0["id"].integer }
        #expect(ids == [answered, last])
    }

    @Test
    func aDiskThatHangsFillsNoMemory() throws {
        let daemon = try Scenario.daemon()
        let disk = try TestDisk(of: daemon)
        try daemon.start()
        let client = try daemon.connect()
        let before = try client.succeed("Status")["memory_bytes"].integer ?? 0
        try disk.set(syncDelayMs: 3_000)
        // 400 MB of payloads from eight clients.
        let payload = Value.string(String(repeating: "x", count: 250_000))
        let call = WireClient.message(
            "Submit", .submit(["queue": "x", "policy": "slow", "payload": payload]))
        let clients = try (0..<8).map { _ in try daemon.connect() }
        var rests = clients.map { _ in 200 * call.count }
        let all = Array(repeatElement(call, count: 200).joined())
        let endUsec = Clocks.monotonicUsec() + 2_000_000
        while Clocks.monotonicUsec() < endUsec {
            for (index, client) in clients.enumerated() where rests[index] > 0 {
                let start = all.count - rests[index]
                rests[index] -= try client.sendSome(
                    bytes: Array(all[start..<min(start + 1 << 20, all.count)]))
            }
            Clocks.sleep(ms: 5)
        }
        let bytes = try Files.readAll("/proc/\(daemon.process)/statm", bytesMax: 4_096)
        let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ")[1]
        let residentBytes = (Int64(pages) ?? 0) * 4_096
        #expect(residentBytes - before < 150 << 20, "\(before) bytes, then \(residentBytes)")
        // And all goes on.
        try disk.repair()
        let answer = try clients[0].receive()
        #expect(answer.error == nil, "\(answer)")
    }
}
