import JSON
import RetryClient

/// `retryctl recover`
package enum RecoverCommand {
    package static let definition = CommandDefinition(
        "recover", "say what a person can do about an operation, and do it",
        examples: [
            .init("retryctl recover 17", "what happened, in words for people, and the options"),
            .init("retryctl recover 17 sign-in", "take the option of that name"),
        ],
        details: [
            "The words and options are those of the rule that decided, in your language. An option "
                + "tries the operation again, says that its sign-in works again (then all that "
                + "waits for it goes on), or ends it."
        ],
        operands: .words("ID [OPTION]", min: 1, max: 2),
        options: [.value("language", "TAG", "of the texts (default: as LANG says)")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let words = invocation.arguments.words
        let id = try Invocation.operationID(words[0])
        let option = words.count > 1 ? words[1] : nil
        let language = invocation.arguments.value("language") ?? Language.ofPerson
        let answer = try invocation.ask { client in
            try client.recoverRaw(id, option: option, language: language)
        }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
            return ExitCode.success.rawValue
        }
        let state = TerminalText.escape(answer["state"]?.string ?? "")
        guard let outcome = answer["outcome"]?.string else {
            try invocation.console.writeLine("operation \(id) is \(state)")
            if let messages = answer["messages"], !messages.isNull {
                try MessagesText.write(messages, to: invocation.console)
            }
            return ExitCode.success.rawValue
        }
        try invocation.console.writeLine(
            "operation \(id) is \(TerminalText.escape(outcome)): it is \(state)")
        return ExitCode.success.rawValue
    }
}
