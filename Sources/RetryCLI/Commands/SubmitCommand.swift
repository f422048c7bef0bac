import JSON
import RetryClient
import RetryModel

/// `retryctl submit`
package enum SubmitCommand {
    package static let definition = CommandDefinition(
        "submit", "hand over an operation that failed",
        examples: [
            .init(
                "retryctl submit --queue mail --http-status 503 --header 'Retry-After: 120' "
                    + "--payload '{\"to\":\"a@example.com\"}'",
                "for the workers of the queue mail, in two minutes at the earliest"),
            .init(
                "retryctl submit --exit-code 75 -- ./send 17",
                "a command that somebody else ran; retryd runs it again"),
            .init(
                "curl … | retryctl submit --queue q --error-json -", "a whole failure document"),
        ],
        details: [
            "Prints the operation's number, what was understood and what happens when. A failure "
                + "that no rule knows is given up, unless --unknown retry says otherwise."
        ],
        operands: .commandLine(isRequired: false),
        options: [
            .value("queue", "QUEUE", "the name its workers lease by"),
            .choice("kind", Kind.allCases.map { $0.name.description }, "default custom"),
            .value("payload", "TEXT", "what the worker gets"),
            .value("payload-file", "FILE", "the same from a file (- is standard input)"),
            .choice(
                "unknown", OperationDraft.Unknown.allCases.map(\.rawValue),
                "what to make of failures that no rule knows"),
            .flag("idempotent", "repeating it is safe"),
        ] + FailureOptions.definitions + OperationOptions.definitions
            + CommandOptions.definitions.filter { $0.name != "program" },
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let arguments = invocation.arguments
        var draft = OperationDraft(
            queue: arguments.value("queue"), kind: arguments.value("kind"))
        try OperationOptions.read(into: &draft, invocation)
        draft.unknown = arguments.value("unknown").flatMap(OperationDraft.Unknown.init)
        if arguments.has("idempotent") {
            if draft.isIdempotent == false {
                throw CommandFailure(
                    "--idempotent and --not-idempotent exclude each other", .usage)
            }
            draft.isIdempotent = true
        }
        if arguments.commandLine.isEmpty {
            try readPayload(into: &draft, invocation)
        } else {
            try readCommand(into: &draft, invocation)
        }
        let failure = try FailureOptions.failure(invocation)
        let answer = try invocation.ask { try $0.submitRaw(draft, failure: failure) }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            try write(invocation.ask { _ in try Submitted(answer) }, invocation)
        }
        return ExitCode.success.rawValue
    }

    private static func readPayload(
        into draft: inout OperationDraft, _ invocation: Invocation
    ) throws(CommandFailure) {
        let arguments = invocation.arguments
        let needsCommand = CommandOptions.definitions.map(\.name)
            .first { $0 != "program" && arguments.has($0) }
        if let needsCommand {
            throw CommandFailure("--\(needsCommand) needs a command behind --", .usage)
        }
        if draft.queue == nil, draft.kind == nil || draft.kind == "custom" {
            throw CommandFailure(
                "--queue is missing: the name that its workers lease by (or give a command behind "
                    + "--)", .usage)
        }
        if let text = arguments.value("payload") {
            if arguments.has("payload-file") {
                throw CommandFailure("--payload and --payload-file exclude each other", .usage)
            }
            draft.payload = .text(text)
        } else if let path = arguments.value("payload-file") {
            if path == "-", arguments.value("error-json") == "-" || arguments.value("stderr") == "-"
            {
                throw CommandFailure("standard input can be read for one option only", .usage)
            }
            let bytes = try InputFile.read(path, bytesMax: Limits.payloadBytesMax)
            draft.payload =
                String(validating: bytes, as: UTF8.self).map { .text($0) }
                ?? .bytes(bytes)
        }
    }

    private static func readCommand(
        into draft: inout OperationDraft, _ invocation: Invocation
    ) throws(CommandFailure) {
        let others = ["queue", "kind", "payload", "payload-file"]
        if let name = others.first(where: invocation.arguments.has) {
            throw CommandFailure(
                "--\(name) and a command exclude each other: a command is its own payload, in the "
                    + "queue command", .usage)
        }
        draft.queue = "command"
        draft.kind = "command"
        draft.payload = .json(try CommandOptions.command(invocation).json)
    }

    static func write(
        _ submitted: Submitted, _ invocation: Invocation
    ) throws(CommandFailure) {
        let console = invocation.console
        var line = "operation \(submitted.id)"
        if submitted.isDuplicate {
            line += " (told before)"
        } else if submitted.isExisting {
            line += " (was there before)"
        }
        guard let decision = submitted.decision else {
            try console.writeLine("\(line): \(TerminalText.escape(submitted.state))")
            return
        }
        let meaning = TerminalText.escape(DecisionText.meaning(decision))
        try console.writeLine("\(line): \(meaning)")
        let next = DecisionText.next(decision, nowUsec: invocation.nowUsec)
        try console.writeLine(TerminalText.escape(next))
    }
}
