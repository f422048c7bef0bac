import JSON
import RetryClient
import SystemKit

/// What `cancel` and `retry` share: count, ask, act on each selection and tell how many.
struct BulkAct {
    static let options: [OptionDefinition] =
        FilterOptions.definitions + [
            .flag("all", "all that you may touch"),
            .flag("dry-run", "only count them"),
            .flag("yes", short: "y", "do not ask"),
        ]

    /// As in "cancel 3 operations?" and "3 operations cancelled".
    let question: String
    let done: String
    /// As in "3 operations would be cancelled".
    let wouldBe: String
    /// Whether the act does anything to an operation.
    let fits: @Sendable (OperationSummary) -> Bool

    /// Goes on behind an operation that can't be acted on, and ends with the first such failure.
    func perform(
        _ invocation: Invocation,
        _ act: (RetryClient, OperationSelection) throws(ClientError) -> Int64
    ) throws(CommandFailure) -> Int32 {
        let selections = try FilterOptions.selections(invocation.arguments)
        if invocation.arguments.has("dry-run") {
            return try tell(count(selections, invocation), "would be \(wouldBe)", invocation)
        }
        guard try isWanted(selections, invocation) else {
            throw CommandFailure("nothing was done", .failure)
        }
        var total: Int64 = 0
        var firstFailure: CommandFailure?
        for selection in selections {
            do throws(ClientError) {
                total += try act(invocation.client, selection)
            } catch {
                let failure = CommandFailure(error)
                // Without a daemon the others fail in the same way.
                if failure.code == .unavailable { throw failure }
                if firstFailure != nil { invocation.console.complain(failure.message) }
                firstFailure = firstFailure ?? failure
            }
        }
        let code = try tell(total, done, invocation)
        if let firstFailure { throw firstFailure }
        return code
    }

    private func tell(
        _ count: Int64, _ what: String, _ invocation: Invocation
    ) throws(CommandFailure) -> Int32 {
        if invocation.printsJSON {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("count")
            writer.integer(count)
            writer.endObject()
            try invocation.console.writeJSON(writer.bytes)
        } else {
            try invocation.console.writeLine("\(OperationText.count(count)) \(what)")
        }
        return ExitCode.success.rawValue
    }

    private func count(
        _ selections: [OperationSelection], _ invocation: Invocation
    ) throws(CommandFailure) -> Int64 {
        var count: Int64 = 0
        for selection in selections {
            switch selection {
            case .id(let id):
                if fits(try invocation.ask { try $0.get(id) }.operation) { count += 1 }
            case .filter(let filter):
                try ShapeCommand.eachOperation(filter, invocation) { if fits($0) { count += 1 } }
            }
        }
        return count
    }

    /// Whoever sits at a terminal and says a filter learns first what it means.
    private func isWanted(
        _ selections: [OperationSelection], _ invocation: Invocation
    ) throws(CommandFailure) -> Bool {
        guard case .filter = selections.first, !invocation.arguments.has("yes"),
            Terminal.isTerminal(0), Terminal.isTerminal(2)
        else { return true }
        let count = try count(selections, invocation)
        if count == 0 { return true }
        invocation.console.ask("\(question) \(OperationText.count(count))? [y/N] ")
        return readLine().map { ["y", "yes"].contains($0) } ?? false
    }
}
