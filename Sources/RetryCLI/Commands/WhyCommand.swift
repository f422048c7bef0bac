import JSON
import RetryClient

/// `retryctl why`
package enum WhyCommand {
    package static let definition = CommandDefinition(
        "why", "say why an operation does not run",
        examples: [
            .init("retryctl why 17", "the reason, when it can change, and what would change it"),
            .init("retryctl why 17 --json=short", "the same for programs"),
        ],
        operands: .words("ID", min: 1, max: 1), run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let id = try Invocation.operationID(invocation.arguments.words[0])
        let answer = try invocation.ask { try $0.whyRaw(id) }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
            return ExitCode.success.rawValue
        }
        let why = try invocation.ask { _ in try WhyAnswer(answer) }
        let console = invocation.console
        let state = console.coloured(
            TerminalText.escape(why.state), OperationText.colour(ofState: why.state))
        try console.writeLine("operation \(why.id) is \(state)")
        try write(why.primary, invocation, indent: "")
        if !why.others.isEmpty {
            try console.writeLine("also")
            for reason in why.others { try write(reason, invocation, indent: "  ") }
        }
        return ExitCode.success.rawValue
    }

    private static func write(
        _ reason: ToldReason, _ invocation: Invocation, indent: String
    ) throws(CommandFailure) {
        let console = invocation.console
        let text = TerminalText.escape(OperationText.reason(reason))
        try console.writeLine("\(indent)because  \(text)")
        if let until = reason.untilUsec {
            let moment = TimeText.full(until, nowUsec: invocation.nowUsec)
            try console.writeLine("\(indent)until    \(moment)")
        }
        try console.writeLine("\(indent)next     \(TerminalText.escape(reason.next))")
    }
}
