import RetryClient
import SystemKit

/// `retryctl log-level`
package enum LogLevelCommand {
    package static let definition = CommandDefinition(
        "log-level", "tell or set which journal entries are written",
        examples: [
            .init("retryctl log-level", "which are written now"),
            .init("retryctl log-level debug", "repeated failures too, until the next reload"),
        ],
        details: [
            "LEVEL is \(JournalPriority.allCases.map(\.name).joined(separator: ", ")). For good it "
                + "is set in the configuration, [journal] level."
        ],
        operands: .words("LEVEL", min: 0, max: 1),
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        guard let word = invocation.arguments.words.first else {
            let status = try invocation.ask { try $0.status() }
            try invocation.console.writeLine(TerminalText.escape(status.logLevel))
            return ExitCode.success.rawValue
        }
        guard let level = JournalPriority(name: word) else {
            throw CommandFailure(
                "\(word) is no level: "
                    + JournalPriority.allCases.map(\.name).joined(separator: ", "), .usage)
        }
        try invocation.ask { try $0.setLogLevel(Int64(level.rawValue)) }
        return ExitCode.success.rawValue
    }
}
