import JSON
import RetryClient

/// `retryctl status`
package enum StatusCommand {
    package static let definition = CommandDefinition(
        "status", "tell how retryd is",
        examples: [
            .init("retryctl status", "what it does, what it holds, whether its store is well"),
            .init("retryctl status --json=short", "the same for programs"),
        ],
        exitCodes: [
            ("0", "the store can be written"), ("75", "it can't be written at present"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let answer = try invocation.ask { try $0.statusRaw() }
        let status = try invocation.ask { _ in try DaemonStatus(answer) }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            try write(status, invocation)
        }
        return (status.isServing ? ExitCode.success : .temporary).rawValue
    }

    private static func write(
        _ status: DaemonStatus, _ invocation: Invocation
    ) throws(CommandFailure) {
        let console = invocation.console
        let nowUsec = invocation.nowUsec
        try console.writeLine(
            "retryd \(TerminalText.escape(status.version)), process "
                + "\(status.processID), up since \(TimeText.absolute(status.startedUsec))")
        try console.writeLine(TerminalText.escape(status.sentence))
        let store = console.coloured(
            TerminalText.escape(status.store), status.isServing ? .green : .red)
        try console.writeLine("store        \(store)")
        for count in status.counts where count.count > 0 {
            let name = TerminalText.escape(count.name)
            let padding = String(repeating: " ", count: max(1, 13 - name.count))
            try console.writeLine(
                console.coloured(name, OperationText.colour(ofState: count.name))
                    + "\(padding)\(count.count)")
        }
        if let next = status.nextUsec {
            try console.writeLine("next due     \(TimeText.full(next, nowUsec: nowUsec))")
        }
        if let release = status.release {
            try console.writeLine(text(release, nowUsec: nowUsec))
        }
        try console.writeLine("connections  \(status.connections)")
        try console.writeLine(
            "rules        \(status.rules) (\(TerminalText.escape(status.rulesHash)))")
        try console.writeLine("memory       \(status.memoryBytes / 1_024) KiB")
    }

    private static func text(_ release: DaemonStatus.Release, nowUsec: Int64) -> String {
        let trigger = TerminalText.escape(release.trigger)
        let count = OperationText.count(release.released)
        guard let ended = release.endedUsec else {
            return "releasing    \(count) after \(trigger) so far, \(release.waiting) to go"
        }
        return "released     \(count) after \(trigger) over "
            + "\(TimeText.span(usec: release.overUsec)), at most \(release.peak) in 100 ms, "
            + TimeText.relative(ended, nowUsec: nowUsec)
    }
}
