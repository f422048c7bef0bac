import JSON
import RetryClient

/// `retryctl cancel`
package enum CancelCommand {
    package static let definition = CommandDefinition(
        "cancel", "end operations",
        examples: [
            .init("retryctl cancel 17", "operation 17 is not tried again"),
            .init("retryctl cancel --queue mail --state dead", "throw away what was given up"),
        ],
        details: [
            "An attempt that runs is stopped when its worker next says a word. Prints how many "
                + "were ended."
        ],
        operands: .words("ID", min: 0, max: .max),
        options: FilterOptions.definitions + [.flag("all", "all that you may touch")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        try BulkAct.perform(invocation, verb: "cancelled") {
            (client, selection) throws(ClientError) in
            try client.cancel(selection)
        }
    }
}

/// What `cancel` and `retry` share: act on each selection and tell how many.
enum BulkAct {
    /// Goes on behind an operation that can't be acted on, and ends with the first such failure.
    static func perform(
        _ invocation: Invocation, verb: String,
        _ act: (RetryClient, OperationSelection) throws(ClientError) -> Int64
    ) throws(CommandFailure) -> Int32 {
        var count: Int64 = 0
        var firstFailure: CommandFailure?
        for selection in try FilterOptions.selections(invocation.arguments) {
            do throws(ClientError) {
                count += try act(invocation.client, selection)
            } catch {
                let failure = CommandFailure(error)
                // Without a daemon the others fail in the same way.
                if failure.code == .unavailable { throw failure }
                if firstFailure != nil { invocation.console.complain(failure.message) }
                firstFailure = firstFailure ?? failure
            }
        }
        if invocation.printsJSON {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("count")
            writer.integer(count)
            writer.endObject()
            try invocation.console.writeJSON(writer.bytes)
        } else {
            try invocation.console.writeLine("\(OperationText.count(count)) \(verb)")
        }
        if let firstFailure { throw firstFailure }
        return ExitCode.success.rawValue
    }
}
