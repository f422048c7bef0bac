import RetryClient
import RetryModel
import SystemKit

/// `retryctl work`
package enum WorkCommand {
    package static let definition = CommandDefinition(
        "work", "run a command for each operation of a queue",
        examples: [
            .init("retryctl work mail -- ./send", "its exit code is the report: 0 is success"),
            .init("retryctl work mail --max 4 -- ./send", "four at a time"),
            .init("retryctl work mail --once -- ./send", "one, then end with its exit code"),
        ],
        details: [
            "The command gets the payload on standard input and RETRYD_OPERATION, RETRYD_ATTEMPT, "
                + "RETRYD_QUEUE and, where there is one, RETRYD_KEY, RETRYD_DESTINATION and "
                + "RETRYD_CREDENTIAL in its environment. Leases are extended while it runs; when "
                + "one is lost, the command is stopped. Exit code, signal and the end of standard "
                + "error become the failure document.",
            "A first SIGINT or SIGTERM lets what runs end, a second stops it and gives it back.",
        ],
        operands: .wordsAndCommandLine("QUEUE", count: 1),
        options: [
            .value("max", short: "n", "COUNT", "attempts at a time (default 1)"),
            .flag("once", "take one operation, then end"),
            .value("idle-exit", "TIME", "end when nothing came for that long"),
            .value("timeout", "TIME", "an attempt that takes longer is stopped and has failed"),
            .value("visibility", "TIME", "how long a lease stands without a word"),
        ],
        exitCodes: [
            ("0", "ended by a signal or for want of work"),
            ("its own", "with --once: the exit code of the command"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let arguments = invocation.arguments
        var settings = Worker.Settings(
            queue: arguments.words[0], command: arguments.commandLine)
        settings.attemptsMax = Int(
            try invocation.integer("max", in: 1...Int64(Limits.batchMax)) ?? 1)
        settings.visibilityMs = try invocation.spanMs("visibility")
        settings.timeoutMs = try invocation.spanMs("timeout")
        settings.idleMs = try invocation.spanMs("idle-exit")
        ProcessSignal.ignorePipe()
        if arguments.has("once") {
            if settings.attemptsMax > 1 {
                throw CommandFailure("--once and --max exclude each other", .usage)
            }
            return try runOnce(settings, invocation)
        }
        return try invocation.ask { client in
            ProcessSignal.block(Worker.signals)
            let worker = try Worker(settings, client: client, console: invocation.console)
            try worker.runForever()
            return ExitCode.success.rawValue
        }
    }

    private static func runOnce(
        _ settings: Worker.Settings, _ invocation: Invocation
    ) throws(CommandFailure) -> Int32 {
        let waitMs = settings.idleMs ?? Limits.waitMax.millisecondsUp
        return try invocation.ask { client in
            var operations: [LeasedOperation] = []
            repeat {
                operations = try client.lease(
                    queues: [settings.queue], visibilityMs: settings.visibilityMs,
                    waitMs: min(waitMs, Limits.waitMax.millisecondsUp))
            } while operations.isEmpty && settings.idleMs == nil
            if operations.isEmpty { return ExitCode.success.rawValue }
            // Until now a signal just ended this process: nothing was under way.
            ProcessSignal.block(Worker.signals)
            let worker = try Worker(settings, client: client, console: invocation.console)
            try worker.run(operations)
            return worker.lastExitCode
        }
    }
}
