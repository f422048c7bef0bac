import JSON
import RetryClient

/// `retryctl signals`
package enum SignalsCommand {
    package static let definition = CommandDefinition(
        "signals", "list the signals and who waits for them",
        examples: [.init("retryctl signals", "levels that were set, and how many wait for each")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let answer = try invocation.ask { try $0.listSignalsRaw() }
        if invocation.printsJSON {
            if let signals = answer["signals"]?.elements {
                for signal in signals { try invocation.console.writeJSON(signal) }
            }
            return ExitCode.success.rawValue
        }
        let signals = try invocation.ask { _ in try ToldSignal.list(in: answer) }
        let nowUsec = invocation.nowUsec
        var table = Table([
            .init("SIGNAL"), .init("OWNER", .right), .init("LEVEL"), .init("WAITING", .right),
            .init("SINCE"), .init("UNTIL"), .init("SET BY", .right),
        ])
        for signal in signals {
            table.append([
                .init(signal.signal), .init(signal.ownerID.map { "\($0)" } ?? "-"),
                .init(signal.isOn ? "on" : "off", signal.isOn ? .green : nil),
                .init("\(signal.waiting)"),
                .init(TimeText.relative(signal.sinceUsec, nowUsec: nowUsec)),
                .init(end(of: signal, nowUsec: nowUsec)),
                .init("\(signal.setterID)"),
            ])
        }
        if table.isEmpty { invocation.console.say("No signal was set.") }
        try table.write(to: invocation.console)
        return ExitCode.success.rawValue
    }

    private static func end(of signal: ToldSignal, nowUsec: Int64) -> String {
        let ends = [
            signal.untilUsec.map { TimeText.relative($0, nowUsec: nowUsec) },
            signal.whileProcessID.map { "end of process \($0)" },
        ]
        let told = ends.compactMap { $0 }
        return told.isEmpty ? "-" : told.joined(separator: " or ")
    }
}
