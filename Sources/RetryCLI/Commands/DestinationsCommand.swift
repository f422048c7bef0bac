import JSON
import RetryClient

/// `retryctl destinations`
package enum DestinationsCommand {
    package static let definition = CommandDefinition(
        "destinations", "list remote parties: which are down, and what is left to try them with",
        examples: [.init("retryctl destinations", "breakers, budgets and what waits for each")],
        details: [
            "closed: it works as far as is known. open: it failed too often in a row, and nothing "
                + "is tried until then. half-open: one attempt may show whether it works again."
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let answer = try invocation.ask { try $0.listDestinationsRaw() }
        if invocation.printsJSON {
            if let elements = answer["destinations"]?.elements {
                for destination in elements { try invocation.console.writeJSON(destination) }
            }
            return ExitCode.success.rawValue
        }
        let nowUsec = invocation.nowUsec
        var table = Table([
            .init("DESTINATION"), .init("USER", .right), .init("BREAKER"), .init("UNTIL"),
            .init("FAILED", .right), .init("BUDGET", .right), .init("RUNNING", .right),
            .init("WAITING", .right),
        ])
        for told in try invocation.ask({ _ in try ToldDestination.list(in: answer) }) {
            table.append([
                .init(told.destination), .init(told.ownerID.map { "\($0)" } ?? "all"),
                .init(told.breaker, told.breaker == "closed" ? .green : .red),
                .init(told.untilUsec.map { TimeText.relative($0, nowUsec: nowUsec) } ?? "-"),
                .init("\(told.failures)"), .init("\(told.budget)/\(told.budgetMax)"),
                .init("\(told.running)" + (told.runningMax.map { "/\($0)" } ?? "")),
                .init("\(told.waiting)"),
            ])
        }
        if table.isEmpty { invocation.console.say("No operation names a destination.") }
        try table.write(to: invocation.console)
        return ExitCode.success.rawValue
    }
}
