import Support
import Synchronization
import SystemKit
import Testing

/// Killed again and again under load: what was acknowledged is there, exactly.
@Suite
struct CrashTests {
    /// What the clients were told.
    private struct Told {
        var ids: Set<Int64> = []
        /// Keys whose Submit was sent and not answered.
        var unanswered: [String] = []
        var failures: [String] = []
    }

    private static let clientCount = 16

    /// Hands over operations with keys of its own until the daemon is gone.
    private static func submit(_ path: String, _ name: String, _ told: borrowing Mutex<Told>) {
        guard let client = try? WireClient(path) else { return }
        for number in 0... {
            let key = "\(name)-\(number)"
            let call = Value.submit(["queue": "mail", "policy": "slow", "key": .string(key)])
            do {
                let answer = try client.call("Submit", call)
                told.withLock { told in
                    if let id = answer["id"].integer, answer["existing"] == .bool(false) {
                        told.ids.insert(id)
                    } else {
                        told.failures.append("\(key): \(answer)")
                    }
                }
            } catch {
                return told.withLock { $0.unanswered.append(key) }
            }
        }
    }

    @Test
    func acknowledgedOperationsAreExactlyThoseThatAreListed() throws {
        let daemon = try Scenario.started()
        let path = daemon.socket
        var acknowledged: Set<Int64> = []
        for round in 0..<8 {
            let told = Mutex(Told())
            try withThreads(CrashTests.clientCount, named: "client") { index in
                CrashTests.submit(path, "r\(round)c\(index)", told)
            } meanwhile: {
                Clocks.sleep(ms: 300)
                daemon.kill()
            }
            let result = told.withLock { $0 }
            #expect(result.failures == [])
            #expect(result.ids.isDisjoint(with: acknowledged), "an id was given twice")
            acknowledged.formUnion(result.ids)

            try daemon.start()
            let client = try daemon.connect()
            // Those that were stored and not answered any more have the keys in question.
            for key in result.unanswered {
                let again = try client.succeed(
                    "Submit",
                    .submit(["queue": "mail", "policy": "slow", "key": .string(key)]))
                acknowledged.insert(try #require(again["id"].integer))
            }
            let list = try client.list()
            #expect(Set(list.compactMap { $0["id"].integer }) == acknowledged, "round \(round)")
            #expect(Set(list.map { $0["key"] }).count == list.count, "a key was taken twice")
        }
        #expect(acknowledged.count > 100, "\(acknowledged.count)")
    }

    @Test
    func aSecondSubmitOfAKeyAfterAnUnansweredOneSaysExisting() throws {
        let daemon = try Scenario.daemon()
        let disk = try TestDisk(of: daemon)
        try daemon.start()
        let call = Value.submit(["queue": "mail", "policy": "slow", "key": "k"])
        let client = try daemon.connect()
        // A new log syncs its header before anything is written to it.
        _ = try client.submit(["queue": "other", "policy": "slow"])
        try disk.set(syncDelayMs: 500)
        try client.send("Submit", call)
        // It is written and not yet synced, so it is not answered; the kernel has it.
        Clocks.sleep(ms: 200)
        daemon.kill()
        #expect(try client.isClosed())
        try disk.repair()
        try daemon.start()
        let back = try daemon.connect()
        let second = try back.succeed("Submit", call)
        #expect(second["existing"] == true)
        #expect(try back.list(["key": "k"]).count == 1)
    }

    /// Leases, reports and keys under kills: each operation succeeds once, whatever is lost.
    @Test
    func workIsDoneOverKills() throws {
        let daemon = try Scenario.started(settings: "[limits]\nrestart-grace = \"1s\"\n")
        let path = daemon.socket
        let client = try daemon.connect()
        for _ in 0..<60 { _ = try client.submit() }
        let succeeded = Mutex<[Int64: Int]>([:])
        for _ in 0..<3 {
            try withThreads(4, named: "worker") { _ in
                guard let worker = try? WireClient(path) else { return }
                while let leased = try? worker.lease("mail", ["visibility_ms": 1_000]) {
                    Clocks.sleep(ms: 5)
                    let report = try? worker.call("Report", .succeeded(leased))
                    guard let report, report.error == nil else { return }
                    succeeded.withLock { $0[leased["id"].integer ?? 0, default: 0] += 1 }
                }
            } meanwhile: {
                Clocks.sleep(ms: 60)
                daemon.kill()
            }
            try daemon.start()
        }
        let worker = try daemon.connect()
        while let leased = try? worker.lease("mail", ["wait_ms": 3_000]) {
            try worker.succeed("Report", .succeeded(leased))
            succeeded.withLock { $0[leased["id"].integer ?? 0, default: 0] += 1 }
        }
        let list = try worker.list()
        #expect(list.count == 60)
        #expect(list.allSatisfy { $0["state"] == "succeeded" })
        // A report that was answered is never forgotten, so nothing succeeds twice.
        let counts = succeeded.withLock { $0 }
        #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts)")
    }
}

/// Runs a body in so many threads, and something else meanwhile; waits for all.
func withThreads(
    _ count: Int, named name: String, _ body: @escaping @Sendable (Int) -> Void,
    meanwhile: () throws -> Void
) throws {
    let threads = try (0..<count).map { index in
        try Thread.spawn(name: name) { body(index) }
    }
    let result = Result { try meanwhile() }
    for thread in threads { thread.join() }
    try result.get()
}

/// Tells threads to end.
final class StopSign: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
