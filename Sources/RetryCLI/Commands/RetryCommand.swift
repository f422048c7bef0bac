import RetryClient

/// `retryctl retry`
package enum RetryCommand {
    package static let definition = CommandDefinition(
        "retry", "try operations again now",
        examples: [
            .init("retryctl retry 17", "skip the back-off, or revive it with fresh limits"),
            .init("retryctl retry --rule http-gone --state dead", "revive all that a rule stopped"),
            .init(
                "retryctl retry --all --state dead --reclassify",
                "decide their failures anew by the rules in force"),
        ],
        details: [
            "Many at once are let go slowly, so that they do not fall on a server together. Prints "
                + "how many were released. At a terminal a filter is asked about first."
        ],
        operands: .words("ID", min: 0, max: .max),
        options: BulkAct.options + [
            .flag("reclassify", "decide the newest failure anew by the rules in force")
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let reclassify = invocation.arguments.has("reclassify")
        return try act.perform(invocation) { (client, selection) throws(ClientError) in
            try client.retry(selection, reclassify: reclassify)
        }
    }

    private static let act = BulkAct(
        question: "try again", done: "to be tried again", wouldBe: "tried again",
        fits: { ["scheduled", "held", "ready", "parked", "dead"].contains($0.state) })
}
