import RetryClient

/// `retryctl cancel`
package enum CancelCommand {
    package static let definition = CommandDefinition(
        "cancel", "end operations",
        examples: [
            .init("retryctl cancel 17", "operation 17 is not tried again"),
            .init("retryctl cancel --queue mail --state dead", "throw away what was given up"),
            .init("retryctl cancel --all --dry-run", "how many that would be"),
        ],
        details: [
            "An attempt that runs is stopped when its worker next says a word. Prints how many "
                + "were ended. At a terminal a filter is asked about first."
        ],
        operands: .words("ID", min: 0, max: .max),
        options: BulkAct.options,
        run: run)

    private static let act = BulkAct(
        question: "cancel", done: "cancelled", wouldBe: "cancelled",
        fits: { $0.state != "succeeded" && $0.state != "cancelled" })

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        try act.perform(invocation) { (client, selection) throws(ClientError) in
            try client.cancel(selection)
        }
    }
}
