import JSON
import RetryClient
import RetryModel

/// `retryctl resolve`
package enum ResolveCommand {
    package static let definition = CommandDefinition(
        "resolve", "bring what a parked operation lacked",
        examples: [
            .init(
                "retryctl resolve 17 --payload '{\"flow\":\"new\"}'",
                "the new flow's payload; it is tried at once"),
            .init(
                "retryctl resolve 17 --payload-file new.json --error-json failure.json",
                "the new flow was tried and failed: that failure is decided"),
        ],
        details: [
            "The operation keeps its number and key and starts with fresh counters. Without a "
                + "payload it keeps the one it has."
        ],
        operands: .words("ID", min: 1, max: 1),
        options: [
            .value("payload", "TEXT", "what the worker gets from now on"),
            .value("payload-file", "FILE", "the same from a file (- is standard input)"),
        ] + FailureOptions.definitions,
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let arguments = invocation.arguments
        let id = try Invocation.operationID(arguments.words[0])
        var resolution = Resolution()
        if let text = arguments.value("payload") {
            if arguments.has("payload-file") {
                throw CommandFailure("--payload and --payload-file exclude each other", .usage)
            }
            resolution.payload = .text(text)
        } else if let path = arguments.value("payload-file") {
            if path == "-", arguments.value("error-json") == "-" || arguments.value("stderr") == "-"
            {
                throw CommandFailure("standard input can be read for one option only", .usage)
            }
            let bytes = try InputFile.read(path, bytesMax: Limits.payloadBytesMax)
            resolution.payload =
                String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
        }
        resolution.failure = try FailureOptions.failure(invocation)
        let answer = try invocation.ask { try $0.resolveRaw(id, resolution) }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
            return ExitCode.success.rawValue
        }
        let resolved = try invocation.ask { _ in try Resolved(answer) }
        let state = TerminalText.escape(resolved.state)
        try invocation.console.writeLine("operation \(resolved.id) is \(state)")
        if let decision = resolved.decision {
            let next = DecisionText.next(decision, nowUsec: invocation.nowUsec)
            try invocation.console.writeLine(TerminalText.escape(next))
        }
        return ExitCode.success.rawValue
    }
}
