import RetryClient

/// `retryctl reload`
package enum ReloadCommand {
    package static let definition = CommandDefinition(
        "reload", "let retryd read its rules and configuration again",
        examples: [.init("retryctl reload", "all of it or, with the reason, none of it")],
        details: [
            "A mistake in a file is told with file, line and column, and what was in force stays."
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let answer = try invocation.ask { try $0.reloadRaw() }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            let reloaded = try invocation.ask { _ in try Reloaded(answer) }
            let hash = TerminalText.escape(reloaded.rulesHash)
            try invocation.console.writeLine("\(reloaded.rules) rules in force (\(hash))")
        }
        return ExitCode.success.rawValue
    }
}
