import RetryClient
import Support
import SystemKit
import Testing

/// The daemon goes away and comes back.
@Suite struct ExecutorLinkTests {
    @Test func aRestartOfTheDaemonCostsNoAttempt() throws {
        let bench = try Bench(settings: Bench.oneRetry)
        let id = try bench.submit(["sh", "-c", "echo x >>log; sleep 1.5; exit 75"])
        try bench.waitForFile("log", "x\n")
        bench.daemon.stop()
        Clocks.sleep(ms: 300)
        try bench.daemon.start()
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(bench.file("log") == "x\n")
        #expect(dead.operation.attempts == 2)
        #expect(dead.operation.recoveries == 0)
    }

    @Test func whatEndsWhileTheDaemonIsAwayIsReportedLater() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", "echo x >>log; sleep 0.3; echo y >>log"])
        try bench.waitForFile("log", "x\n")
        bench.daemon.kill()
        try bench.waitForFile("log", "x\ny\n")
        Clocks.sleep(ms: 300)
        try bench.daemon.start()
        let done = try bench.wait(for: id, toBe: "succeeded")
        #expect(done.operation.recoveries == 0)
        #expect(bench.file("log") == "x\ny\n")
        #expect(bench.exec.log.contains("trying again\n"))
        #expect(bench.exec.log.contains("connected to \(bench.daemon.socket) again\n"))
    }

    @Test func workGoesOnAfterARestart() throws {
        let bench = try Bench()
        try bench.wait(for: bench.submit(["true"]), toBe: "succeeded")
        for _ in 0..<2 {
            bench.daemon.kill()
            try bench.daemon.start()
            try bench.wait(for: bench.submit(["true"]), toBe: "succeeded")
        }
    }
}
