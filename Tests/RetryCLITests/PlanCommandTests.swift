import RetryCLI
import Support
import SystemKit
import Testing

/// `retryctl plan` and `retryctl simulate`, with policies of a directory.
@Suite struct PlanCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try write(
            "retryd.toml",
            """
            [policy.default]
            jitter = "none"
            max-attempts = 3
            [policy.eager]
            initial = "100ms"
            factor = 1
            floor = 0
            max-attempts = 50
            """)
    }

    private func write(_ name: String, _ text: String) throws {
        try Files.writeAtomically("\(directory.path)/\(name)", Array(text.utf8), mode: 0o644)
    }

    private func run(_ arguments: String...) -> Tool {
        Tool(arguments + ["--config", directory.path])
    }

    @Test func planShowsEveryAttempt() {
        let tool = run("plan")
        #expect(tool.code == 0, "\(tool.messages)")
        let lines = tool.outputLines
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("ATTEMPT  EARLIEST  LATEST  DELAY  AT"))
        #expect(lines[1].hasPrefix("      2        2s      2s     2s  "))
        #expect(lines[2].hasSuffix("████████████████████████"))
        #expect(lines[3] == "Given up after 3 attempts, 6s from now.")
    }

    @Test func planForPrograms() {
        let tool = run("plan", "--seed", "3", "--json=short")
        #expect(tool.outputLines.count == 1)
        #expect(tool.output.hasPrefix(#"{"policy":"default","seed":3,"steps":[{"attempt":2,"#))
        #expect(tool.output.hasSuffix("\"total_ms\":6000,\"end\":\"max-attempts\"}\n"))
    }

    @Test func anUnknownPolicyIsNamed() {
        let tool = run("plan", "--policy", "eagr")
        #expect(tool.code == 64)
        #expect(tool.messages.contains("there is no policy \"eagr\"; did you mean eager?"))
    }

    @Test func simulatesSideBySide() throws {
        try write(
            "outage.toml",
            """
            hosts = 5
            operations = 20
            arrival = "1s"
            length = "1h"
            [[outage]]
            to = "10s"
            """)
        let file = "\(directory.path)/outage.toml"
        let tool = run("simulate", file, "--policy", "default", "--policy", "eager")
        #expect(tool.code == 0, "\(tool.messages)")
        #expect(tool.outputLines[0].contains("default"))
        #expect(tool.outputLines[0].contains("eager"))
        #expect(tool.output.contains("peak, attempts in a second"))
        // The same bytes again.
        #expect(run("simulate", file, "--policy", "default", "--policy", "eager").output == tool.output)
        let json = run("simulate", file, "--json=short")
        #expect(json.outputLines.count == 1)
        // Two more attempts, 2 s and 6 s after the first failure: the service was down.
        #expect(
            json.output.hasPrefix(
                #"{"policy":"default","attempts":200,"succeeded":0,"given_up":100,"left":0,"#))
    }

    @Test func aTypoIsNamed() throws {
        try write("outage.toml", "host = 5\n")
        let tool = run("simulate", "\(directory.path)/outage.toml")
        #expect(tool.code == 65)
        #expect(tool.messages.contains("outage.toml:1:1: unknown key host; did you mean hosts?"))
        #expect(run("simulate", "/nonexistent").code == 66)
    }
}
