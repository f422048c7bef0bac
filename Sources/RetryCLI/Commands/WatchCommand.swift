import JSON
import RetryClient

/// `retryctl watch`
package enum WatchCommand {
    package static let definition = CommandDefinition(
        "watch", "tell what happens, as it happens",
        examples: [
            .init("retryctl watch", "each change of what you may see, until Ctrl-C"),
            .init("retryctl watch --queue mail --json=short", "for programs: one object a line"),
            .init("retryctl watch --role handler", "what somebody must act on"),
        ],
        details: [
            "First come the operations that are there, then \"settled\", then each change when it "
                + "is on disk. When retryd restarts, watching goes on and they come anew.",
            "A handler is told what needs somebody: what is parked or given up, sign-ins that are "
                + "refused, and what people chose. Of several handlers of a user one is told; the "
                + "next one takes over when it ends.",
        ],
        options: FilterOptions.definitions + [
            .choice(
                "role", RetryClient.WatchRole.allCases.map(\.rawValue),
                "told everything (audit, the default), or what needs somebody"),
            .flag("changes", "leave out what is there already")
        ],
        run: run)

    /// How long a restart of the daemon is waited for.
    private static let reconnectMs: Int64 = 60_000

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let filter = try FilterOptions.filter(invocation.arguments)
        let role =
            invocation.arguments.value("role").flatMap(RetryClient.WatchRole.init) ?? .audit
        var options = CallOptions()
        while true {
            let stream = try invocation.ask { try $0.watch(filter, role: role, options: options) }
            do {
                try follow(stream, invocation)
                return ExitCode.success.rawValue
            } catch {
                guard error.code == .unavailable else { throw error }
                invocation.console.say("retryd went away; waiting for it")
            }
            options.reconnectMs = reconnectMs
        }
    }

    /// Until the stream ends, which is when the daemon does.
    private static func follow(
        _ stream: ReplyStream, _ invocation: Invocation
    ) throws(CommandFailure) {
        let skipsPresent = invocation.arguments.has("changes")
        var told: Told?
        while true {
            let item = try invocation.ask { _ in try stream.next() }
            guard case .item(let answer) = item, let answer else { return }
            let event = try invocation.ask { _ in try WatchEvent(answer) }
            if skipsPresent, event.event == "present" || event.event == "settled" { continue }
            if invocation.printsJSON {
                try invocation.console.writeJSON(answer)
            } else if told == nil || told != Told(event) || !Told.isFace(event.event) {
                try invocation.console.writeLine(line(event, invocation))
            }
            told = Told(event)
            try invocation.console.flush()
        }
    }

    /// What the last line said of an operation. What follows from it at once, e.g. `scheduled`
    /// behind `accepted`, says nothing new to people and is left out.
    private struct Told: Equatable {
        var id: Int64
        var state: String

        init?(_ event: WatchEvent) {
            guard let operation = event.operation else { return nil }
            id = operation.id
            state = operation.state
        }

        static func isFace(_ event: String) -> Bool {
            event == "scheduled" || event == "held" || event == "ready"
        }
    }

    /// "23:39:01  17 mail  attempt-failed  held: waits for …"
    private static func line(_ event: WatchEvent, _ invocation: Invocation) -> String {
        let console = invocation.console
        var parts = [TimeText.clock(event.atUsec)]
        if let operation = event.operation {
            parts.append("\(operation.id) \(TerminalText.escape(operation.queue))")
            if let key = operation.key { parts.append(TerminalText.escape(key)) }
        }
        parts.append(console.coloured(TerminalText.escape(event.event), .bold))
        for detail in [event.signal, event.outcome] {
            if let detail { parts.append(TerminalText.escape(detail)) }
        }
        if let operation = event.operation {
            let state = TerminalText.escape(OperationText.state(operation))
            parts.append(
                console.coloured(state, OperationText.colour(ofState: operation.state)))
            if let decision = event.decision {
                parts.append(TerminalText.escape(DecisionText.short(decision)))
            }
            if operation.isLive, operation.state != "leased",
                let until = operation.untilUsec ?? operation.dueUsec
            {
                parts.append(TimeText.relative(until, nowUsec: event.atUsec))
            }
        }
        return parts.joined(separator: "  ")
    }
}
