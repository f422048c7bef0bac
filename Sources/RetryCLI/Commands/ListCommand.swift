import JSON
import RetryClient

/// `retryctl list`
package enum ListCommand {
    package static let definition = CommandDefinition(
        "list", "list operations",
        examples: [
            .init("retryctl list", "everything you may see"),
            .init("retryctl list --state parked,dead", "what needs a person"),
            .init("retryctl list --queue mail --json=short", "for programs: one object a line"),
        ],
        details: [
            "Ended operations are kept and listed for a while, dead ones longer. REASON is why an "
                + "operation does not run at this moment; \"retryctl why\" explains it."
        ],
        options: FilterOptions.definitions + [
            .flag("live", "only those that can still be tried without reviving them"),
            .value("limit", short: "n", "COUNT", "at most so many"),
        ],
        run: run)

    private static let liveStates = "scheduled,held,ready,leased,parked"

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        var arguments = invocation.arguments
        if arguments.has("live") {
            if arguments.has("state") {
                throw CommandFailure("--live and --state exclude each other", .usage)
            }
            arguments.options["state"] = [liveStates]
        }
        let filter = try FilterOptions.filter(arguments)
        let limit = try invocation.integer("limit", in: 1...Int64.max)
        let stream = try invocation.ask { try $0.listStream(filter, limit: limit) }
        var listing = Listing(invocation, limit: limit)
        while try listing.take(stream) {}
        try listing.finish()
        return ExitCode.success.rawValue
    }

    /// Pages as they come. A table needs all of them, for the widths of its columns.
    private struct Listing {
        let invocation: Invocation
        let limit: Int64?
        let nowUsec: Int64
        var count: Int64 = 0
        var isOwnOnly = true
        var table = Table([
            .init("ID", .right), .init("QUEUE"), .init("KEY"), .init("STATE"), .init("REASON"),
            .init("WHEN"), .init("TRIES", .right), .init("RULE"),
        ])

        init(_ invocation: Invocation, limit: Int64?) {
            self.invocation = invocation
            self.limit = limit
            nowUsec = invocation.nowUsec
        }

        /// - Returns: false behind the last page.
        mutating func take(_ stream: ReplyStream) throws(CommandFailure) -> Bool {
            let item = try invocation.ask { _ in try stream.next() }
            guard case .item(let answer) = item, let answer else { return false }
            let page = try invocation.ask { _ in try OperationPage(answer) }
            isOwnOnly = page.isOwnOnly
            guard let elements = answer["operations"]?.elements else { return false }
            for (operation, element) in zip(page.operations, elements) {
                if let limit, count >= limit { return false }
                count += 1
                if invocation.printsJSON {
                    try invocation.console.writeJSON(element)
                } else {
                    add(operation)
                }
            }
            return true
        }

        private mutating func add(_ operation: OperationSummary) {
            table.append([
                .init("\(operation.id)"), .init(operation.queue), .init(operation.key ?? "-"),
                .init(
                    OperationText.state(operation), OperationText.colour(ofState: operation.state)),
                .init(operation.reason),
                .init(OperationText.when(operation, nowUsec: nowUsec)),
                .init("\(operation.attempts)"), .init(operation.rule ?? "-"),
            ])
        }

        func finish() throws(CommandFailure) {
            if invocation.printsJSON { return }
            try table.write(to: invocation.console)
            guard invocation.console.hasLegend else { return }
            try invocation.console.flush()
            invocation.console.say(
                OperationText.count(count) + (isOwnOnly ? "; only your own are shown." : "."))
        }
    }
}
