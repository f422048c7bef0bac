import RetryClient
import Support
import SystemKit
import Testing

/// Reports that the daemon does not take as they are.
@Suite struct ExecutorReportTests {
    @Test func aFailureThatIsTooLongIsToldInLess() throws {
        let bench = try Bench(
            settings: Bench.quick + "\n[limits]\nfailure-size = \"1K\"\n")
        let id = try bench.submit(["sh", "-c", "seq 1000 >&2; exit 78"])
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(dead.operation.recoveries == 0)
        let failure = try bench.failure(of: dead)
        #expect(failure["process"]["exit_code"] == 78)
        #expect(failure["process"]["stderr_tail"] == .null)
        #expect(bench.exec.log.contains("operation \(id): its report is refused: "))
        try bench.waitForEmptyRuntime()
    }

    @Test func whatWasReportedByTheOneBeforeIsFenced() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", "echo x >>log; sleep 0.3"])
        try bench.waitForFile("log", "x\n")
        // Two that report the same: the first one's word counts, the second one hears so.
        bench.exec.kill()
        let name = try #require(try Files.list(bench.runtime).first { $0.hasSuffix(".run") })
        let state = try Files.readAll("\(bench.runtime)/\(name)", bytesMax: 1 << 20)
        try bench.startExecAgain()
        try bench.wait(for: id, toBe: "succeeded")
        try bench.waitForEmptyRuntime()
        bench.exec.kill()
        let stem = "\(bench.runtime)/\(name.dropLast(4))"
        try Files.writeAtomically("\(stem).run", state, mode: 0o600)
        let result = Array("exited 1\ntimed-out 0\nran-ms 5\nstderr 0 0\n".utf8)
        try Files.writeAtomically("\(stem).result", result, mode: 0o600)
        try bench.startExecAgain()
        try bench.wait(for: "the word on the report") {
            bench.exec.log.contains("operation \(id): its report did not count: ")
        }
        try bench.waitForEmptyRuntime()
        #expect(try bench.client.get(id).operation.state == "succeeded")
    }
}
