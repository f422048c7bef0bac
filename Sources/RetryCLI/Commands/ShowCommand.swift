import JSON
import RetryClient

/// `retryctl show`
package enum ShowCommand {
    package static let definition = CommandDefinition(
        "show", "show all about an operation",
        examples: [
            .init("retryctl show 17", "what it is, where it stands, why it failed last"),
            .init("retryctl show 17 --json=pretty", "the same as JSON"),
        ],
        operands: .words("ID", min: 1, max: 1),
        options: [.flag("payload", "write the payload alone, as it was handed over")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let id = try Invocation.operationID(invocation.arguments.words[0])
        let answer = try invocation.ask { try $0.getRaw(id) }
        if invocation.arguments.has("payload") {
            let details = try invocation.ask { _ in try OperationDetails(answer) }
            try writePayload(details.payload, invocation)
        } else if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            let details = try invocation.ask { _ in try OperationDetails(answer) }
            try Sheet(invocation).write(details)
        }
        return ExitCode.success.rawValue
    }

    /// Bytes as they are: for programs, not for a terminal.
    private static func writePayload(
        _ payload: OperationDraft.Payload, _ invocation: Invocation
    ) throws(CommandFailure) {
        switch payload {
        case .none: break
        case .text(let text): try invocation.console.writeBytes(Array(text.utf8))
        case .json(let json): try invocation.console.writeBytes(json.bytes)
        case .bytes(let bytes): try invocation.console.writeBytes(bytes)
        }
    }

    /// The page for people: a name and a value on each line.
    private struct Sheet {
        private static let payloadShownMax = 2_000

        let invocation: Invocation
        let nowUsec: Int64

        init(_ invocation: Invocation) {
            self.invocation = invocation
            nowUsec = invocation.nowUsec
        }

        func write(_ details: OperationDetails) throws(CommandFailure) {
            let operation = details.operation
            try line("id", "\(operation.id)")
            try line(
                "state", OperationText.state(operation),
                OperationText.colour(ofState: operation.state))
            try line("reason", OperationText.reason(details.primary))
            try line("next", details.primary.next)
            if operation.isLive, let due = operation.dueUsec { try moment("due", due) }
            if let until = details.primary.untilUsec, until != operation.dueUsec {
                try moment("until", until)
            }
            for other in operation.others {
                let end = other.untilUsec.map { ", \(TimeText.relative($0, nowUsec: nowUsec))" }
                try line("also", OperationText.reason(other) + (end ?? ""))
            }
            if let deadline = operation.deadlineUsec { try moment("deadline", deadline) }
            try line("queue", operation.queue)
            try line("kind", operation.kind)
            try line("key", operation.key)
            try line("owner", "\(operation.ownerID)")
            try line("scope", operation.scope)
            try line("destination", operation.destination)
            try line("credential", operation.credential)
            try line("policy", operation.policy)
            if operation.priority != 0 { try line("priority", "\(operation.priority)") }
            if !operation.tags.isEmpty {
                try line("tags", operation.tags.joined(separator: ", "))
            }
            try line(
                "counted",
                "\(OperationText.attempts(Int(operation.attempts))), "
                    + "\(operation.deferrals) deferrals, \(operation.recoveries) recoveries")
            try moment("failed first", operation.firstFailureUsec)
            try moment("since", operation.sinceUsec)
            if let decision = details.decision {
                try line("understood as", DecisionText.meaning(decision))
            }
            try writePayload(details.payload)
            if let failure = details.failure {
                try line("failure", "")
                try invocation.console.writeIndented(failure)
            }
        }

        private func writePayload(_ payload: OperationDraft.Payload) throws(CommandFailure) {
            switch payload {
            case .none: break
            case .text(let text): try line("payload", cut(text))
            case .bytes(let bytes): try line("payload", "\(bytes.count) bytes")
            case .json(let json):
                try line("payload", "")
                try invocation.console.writeIndented(json)
            }
        }

        private func cut(_ text: String) -> String {
            text.count <= Sheet.payloadShownMax
                ? text : text.prefix(Sheet.payloadShownMax) + "… (--payload writes all of it)"
        }

        private func moment(_ name: String, _ usec: Int64) throws(CommandFailure) {
            try line(name, TimeText.full(usec, nowUsec: nowUsec))
        }

        private func line(
            _ name: String, _ value: String?, _ colour: Console.Colour? = nil
        ) throws(CommandFailure) {
            guard let value else { return }
            let padding = String(repeating: " ", count: max(0, 14 - name.count))
            let text = invocation.console.coloured(TerminalText.escape(value), colour)
            try invocation.console.writeLine(
                text.isEmpty ? "\(name):" : "\(name):\(padding)\(text)")
        }
    }
}
