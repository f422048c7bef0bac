import JSON
import RetryClient
import RetryModel

/// `retryctl run`
package enum RunCommand {
    package static let definition = CommandDefinition(
        "run", "run a command now; if it fails, have it tried again",
        examples: [
            .init("retryctl run -- rsync -a /srv/ backup:/srv/", "try at once, later if it fails"),
            .init("retryctl run --wait -- ./deploy", "wait for the end, end with its exit code"),
            .init(
                "retryctl run --key nightly --deadline 6h -- ./report",
                "one at a time, and not after the night"),
        ],
        details: [
            "The command runs as if it were run directly. If it succeeds, that was all. If it "
                + "fails, retryd decides what the failure means: what may pass is tried again "
                + "later, with the same arguments, directory, umask, input and a listed part of "
                + "the environment. A failure that no rule knows is tried again too, except with "
                + "--strict. Ctrl-C hands nothing over.",
            "Standard input that is neither a terminal nor /dev/null is read first and kept, up to "
                + "\(StandardInput.bytesMax / 1_024) KiB.",
        ],
        operands: .commandLine(isRequired: true),
        options: [
            .flag("wait", "wait until the operation has ended"),
            .flag("strict", "give up on failures that no rule knows"),
            .choice("stdin", ["spool", "null"], "keep standard input, or give the command none"),
        ] + CommandOptions.definitions + OperationOptions.definitions,
        exitCodes: [
            ("0", "the command succeeded (with --wait: in the end)"),
            ("75", "it failed and was handed over"),
            ("130", "it was interrupted; nothing was handed over"),
            (
                "its own",
                "it failed for good, or could not be handed over (then never 75); 128 + number "
                    + "for a signal"
            ),
            ("126, 127", "the command can't be run, or was not found"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        var command = try CommandOptions.command(invocation)
        var draft = OperationDraft(queue: "command", kind: "command")
        // Whoever runs a command under this wants it repeated.
        draft.isIdempotent = true
        try OperationOptions.read(into: &draft, invocation)
        draft.unknown = invocation.arguments.has("strict") ? .permanent : .retry
        let input = try StandardInput.prepare(invocation.arguments.value("stdin"))
        command.input = input.kept
        draft.payload = .json(command.json)
        try checkSize(command)

        let result = try FirstAttempt.make(
            command.arguments, input: input, timeoutMs: command.timeoutMs)
        switch result {
        case .succeeded: return ExitCode.success.rawValue
        case .interrupted(let exitCode): return exitCode
        case .notRun(let failure): throw failure
        case .failed(let ended):
            var failure = ProcessFailure(
                of: command, end: ended.end, errorTail: ended.errorTail)
            failure.timedOut = ended.timedOut
            failure.isIdempotent = draft.isIdempotent
            return try HandOver(invocation, draft, failure).perform()
        }
    }

    /// Before anything is run: afterwards it would be too late to hand it over.
    private static func checkSize(_ command: CommandPayload) throws(CommandFailure) {
        if command.wordsBytes > CommandPayload.wordsBytesMax {
            throw CommandFailure(
                "arguments and environment take \(command.wordsBytes / 1_024) KiB and an operation "
                    + "holds \(CommandPayload.wordsBytesMax / 1_024) KiB of them, so nothing was "
                    + "run; let the command read a file", .usage)
        }
        let bytes = command.json.bytes.count
        if bytes <= Limits.payloadBytesMax { return }
        throw CommandFailure(
            "arguments, environment and standard input take \(bytes / 1_024) KiB and an operation "
                + "holds \(Limits.payloadBytesMax / 1_024) KiB, so nothing was run; let the "
                + "command read a file", .usage)
    }
}
