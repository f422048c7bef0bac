import RetryClient
import Support
import SystemKit
import Testing

/// Attempts that lose their lease or their runner.
@Suite struct ExecutorAttemptsTests {
    private static let withChild = "sleep 100 & echo $$ $! >pids.new; mv pids.new pids; wait"

    /// The command and its child.
    private func processes(_ bench: Bench) throws -> [ProcessIdentity] {
        try bench.wait(for: "the command's start") { bench.file("pids") != "" }
        let numbers = bench.file("pids").split { $0 == " " || $0 == "\n" }.compactMap { Int32($0) }
        try #require(numbers.count == 2)
        return numbers.map { ProcessIdentity(of: $0) }
    }

    @Test func cancellingStopsTheProcessGroup() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", ExecutorAttemptsTests.withChild])
        let processes = try processes(bench)
        #expect(try bench.client.cancel(.id(id)) == 1)
        try bench.wait(for: "the end of both") { !processes.contains { $0.isAlive } }
        try bench.waitForEmptyRuntime()
        #expect(try bench.client.get(id).operation.state == "cancelled")
        #expect(bench.exec.log.contains("operation \(id) is stopped"))
        // Its place is free again.
        let next = try bench.submit(["true"])
        try bench.wait(for: next, toBe: "succeeded")
    }

    @Test func aKilledRunnerIsARecoveryAndTheCommandRunsAgain() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", "[ -e pids ] && exit 0; \(ExecutorAttemptsTests.withChild)"])
        let processes = try processes(bench)
        try bench.kill(bench.runner(of: id))
        let done = try bench.wait(for: id, toBe: "succeeded")
        #expect(done.operation.recoveries == 1)
        try bench.wait(for: "the end of both") { !processes.contains { $0.isAlive } }
        try bench.waitForEmptyRuntime()
    }

    @Test func aRunnerKilledBetweenTwoExecsIsCleanedUpAfter() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", "[ -e pids ] && exit 0; \(ExecutorAttemptsTests.withChild)"])
        let processes = try processes(bench)
        let runner = try bench.runner(of: id)
        bench.exec.kill()
        bench.kill(runner)
        try bench.wait(for: id, toBe: "ready")
        try bench.startExecAgain()
        let done = try bench.wait(for: id, toBe: "succeeded")
        #expect(done.operation.recoveries == 1)
        // Its process ends with the runner; what it started is found by its group.
        #expect(!processes[0].isAlive)
        try bench.waitForEmptyRuntime()
    }

    @Test func notIdempotentAndKilledIsParked() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", ExecutorAttemptsTests.withChild], isIdempotent: false)
        _ = try processes(bench)
        try bench.kill(bench.runner(of: id))
        let parked = try bench.wait(for: id, toBe: "parked")
        #expect(parked.operation.cause == "outcome-unknown")
    }
}
