import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit

/// `retryctl simulate`
package enum SimulateCommand {
    package static let definition = CommandDefinition(
        "simulate", "try policies against an outage, with the daemon's own scheduler",
        examples: [
            .init("retryctl simulate outage.toml", "how the policy `default` gets through it"),
            .init(
                "retryctl simulate outage.toml --policy default --policy slow", "side by side"),
        ],
        details: [
            "FILE is TOML: hosts, operations (of each host), workers (of each host), arrival (the "
                + "time over which they fail first), attempt (how long one takes), capacity "
                + "(attempts a second that the service takes, 0: all), length, seed; [[outage]] "
                + "with from and to; [[failure]] with weight, decision (retry or permanent) and "
                + "retry-after. All have defaults.",
            "Nothing is sent and nothing waits: time is simulated. The same file gives the same "
                + "output, byte by byte.",
        ],
        operands: .words("FILE", min: 1, max: 1),
        options: [
            .list("policy", "NAME", "a policy to try (default: default); may be given again"),
            .value("seed", "NUMBER", "in place of the file's"),
            .value("config", "DIR", "policies of the retryd.toml of this directory"),
        ],
        exitCodes: [("65", "the file is not what it should be")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        var scenario = try read(invocation.arguments.words[0])
        if let seed = try invocation.integer("seed", in: 0...Int64.max) {
            scenario.seed = UInt64(seed)
        }
        let named = invocation.arguments.values("policy")
        var runs: [OutageReport.Run] = []
        for name in named.isEmpty ? [Policy.defaultName] : named {
            scenario.policy = try PolicyAtHand.policy(named: name, invocation)
            runs.append(.init(policy: name, result: OutageSimulation.run(scenario)))
        }
        if invocation.printsJSON {
            for run in runs { try invocation.console.writeJSON(OutageReport.json(run)) }
        } else {
            try OutageReport.write(runs, invocation.console)
        }
        return ExitCode.success.rawValue
    }

    private static func read(_ path: String) throws(CommandFailure) -> OutageScenario {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.readAll(path, bytesMax: 1 << 20)
        } catch {
            throw CommandFailure("\(error)", error.isNotFound ? .notFound : .inputOutput)
        }
        do throws(ConfigurationError) {
            return try OutageFile.read(bytes, file: path)
        } catch {
            throw CommandFailure("\(error)", .badInput)
        }
    }
}
