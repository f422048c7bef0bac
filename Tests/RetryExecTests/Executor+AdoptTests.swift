import RetryClient
import Support
import SystemKit
import Testing

/// Commands outlive the retryd-exec that started them and are run once.
@Suite struct ExecutorAdoptTests {
    private static let slow = "echo x >>log; while [ ! -e go ]; do sleep 0.02; done; echo y >>log"

    private func go(_ bench: Bench) throws {
        try Files.writeAtomically("\(bench.directory.path)/go", [], mode: 0o644)
    }

    @Test func aKilledOneIsFollowedByOneThatGoesOn() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", ExecutorAdoptTests.slow])
        try bench.waitForFile("log", "x\n")
        bench.exec.kill()
        try bench.startExecAgain()
        try go(bench)
        let done = try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("log") == "x\ny\n")
        #expect(done.operation.recoveries == 0)
        try bench.waitForEmptyRuntime()
    }

    @Test func whatEndedMeanwhileIsReported() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", ExecutorAdoptTests.slow + "; echo bad >&2; exit 78"])
        try bench.waitForFile("log", "x\n")
        bench.exec.kill()
        try go(bench)
        try bench.waitForFile("log", "x\ny\n")
        // Long enough for the lease to run out: a late report counts all the same.
        try bench.wait(for: id, "to lose its lease") { $0.operation.state != "leased" }
        try bench.startExecAgain()
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(bench.file("log") == "x\ny\n")
        #expect(try bench.failure(of: dead)["process"]["stderr_tail"] == "bad\n")
        try bench.waitForEmptyRuntime()
    }

    @Test func aLostLeaseIsTakenUpAgainBeforeAnythingIsLeased() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", ExecutorAdoptTests.slow])
        try bench.waitForFile("log", "x\n")
        bench.exec.kill()
        try bench.wait(for: id, toBe: "ready")
        try bench.startExecAgain()
        try bench.wait(for: id, toBe: "leased")
        try go(bench)
        try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("log") == "x\ny\n")
    }

    @Test func sigtermEndsItAtOnceAndLeavesCommandsAlone() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", ExecutorAdoptTests.slow])
        try bench.waitForFile("log", "x\n")
        let runner = ProcessIdentity(of: try bench.runner(of: id))
        #expect(bench.exec.terminate() == .exited(code: 0))
        #expect(runner.isAlive)
        try bench.startExecAgain()
        try go(bench)
        let done = try bench.wait(for: id, toBe: "succeeded")
        #expect(done.operation.recoveries == 0)
        #expect(bench.file("log") == "x\ny\n")
        // Nobody needs it any more.
        try bench.wait(for: "the end of the runner") { !runner.isAlive }
    }

    @Test func daemonAndExecMayBothBeKilled() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", ExecutorAdoptTests.slow])
        try bench.waitForFile("log", "x\n")
        bench.exec.kill()
        bench.daemon.kill()
        try go(bench)
        try bench.waitForFile("log", "x\ny\n")
        try bench.daemon.start()
        try bench.startExecAgain()
        try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("log") == "x\ny\n")
    }

    @Test func accountsThatCannotBeReadAreRemoved() throws {
        let bench = try Bench()
        let id = try bench.submit(["true"])
        try bench.wait(for: id, toBe: "succeeded")
        bench.exec.kill()
        for name in ["7.1.run", "8.1.result", "9.1.result.new"] {
            try Files.writeAtomically("\(bench.runtime)/\(name)", Array("?".utf8), mode: 0o600)
        }
        try bench.startExecAgain()
        try bench.waitForEmptyRuntime()
        #expect(bench.exec.log.contains("/7.1.run is not readable and was removed"))
    }
}
