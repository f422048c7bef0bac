import JSON
import RetryClient

/// `retryctl log`
package enum LogCommand {
    package static let definition = CommandDefinition(
        "log", "tell the attempts of an operation",
        examples: [
            .init("retryctl log 17", "one line for each attempt, oldest first"),
            .init("retryctl log 17 --failures", "with each failure document"),
        ],
        operands: .words("ID", min: 1, max: 1),
        options: [.flag("failures", "print what failed as well")], run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let id = try Invocation.operationID(invocation.arguments.words[0])
        let answer = try invocation.ask { try $0.historyRaw(id) }
        if invocation.printsJSON {
            if let attempts = answer["attempts"]?.elements {
                for attempt in attempts { try invocation.console.writeJSON(attempt) }
            }
            return ExitCode.success.rawValue
        }
        let attempts = try invocation.ask { _ in try ToldAttempt.list(in: answer) }
        if invocation.arguments.has("failures") {
            try writeLong(attempts, invocation)
        } else {
            try table(attempts).write(to: invocation.console)
        }
        return ExitCode.success.rawValue
    }

    private static func table(_ attempts: [ToldAttempt]) -> Table {
        var table = Table([
            .init("#", .right), .init("AT"), .init("OUTCOME"), .init("DECISION"), .init("DELAY"),
        ])
        for attempt in attempts {
            table.append([
                .init("\(attempt.number)"), .init(TimeText.absolute(attempt.atUsec)),
                .init(attempt.outcome, colour(attempt)),
                .init(attempt.decision.map(DecisionText.short) ?? "-"),
                .init(attempt.decision?.delayMs.map { TimeText.span(usec: $0 * 1_000) } ?? "-"),
            ])
        }
        return table
    }

    private static func writeLong(
        _ attempts: [ToldAttempt], _ invocation: Invocation
    ) throws(CommandFailure) {
        let console = invocation.console
        for attempt in attempts {
            let outcome = console.coloured(TerminalText.escape(attempt.outcome), colour(attempt))
            let moment = TimeText.absolute(attempt.atUsec)
            try console.writeLine("\(attempt.number)  \(moment)  \(outcome)")
            if let decision = attempt.decision {
                try console.writeLine("  " + TerminalText.escape(DecisionText.short(decision)))
            }
            if let failure = attempt.failure { try console.writeIndented(failure) }
        }
    }

    private static func colour(_ attempt: ToldAttempt) -> Console.Colour? {
        switch attempt.outcome {
        case "succeeded": .green
        case "failed", "lost": .red
        default: nil
        }
    }
}
