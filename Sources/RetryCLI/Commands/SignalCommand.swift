import JSON
import RetryClient

/// `retryctl signal`
package enum SignalCommand {
    package static let definition = CommandDefinition(
        "signal", "set a signal on or off",
        examples: [
            .init("retryctl signal custom:vpn on", "what waits for custom:vpn may run"),
            .init(
                "retryctl signal credential:oauth:alice@example.com on",
                "the sign-in was renewed: what was held for it goes on"),
            .init("retryctl signal custom:disk on --while 4711", "as long as process 4711 lives"),
        ],
        details: [
            "NAME is network, credential:NAME, custom:NAME or foreground (\"retryctl foreground\" "
                + "is easier). Prints how many operations it released."
        ],
        operands: .words("NAME on|off", min: 2, max: 2),
        options: [
            .value("scope", "SCOPE", "of foreground: user:UID or app:NAME"),
            .value("for", "TIME", "falls back by itself after that, e.g. 60s"),
            .value("while", "PID", "falls back when this process of yours ends"),
            .value("owner", "USER", "the signal of this user (admins only)"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let words = invocation.arguments.words
        guard words[1] == "on" || words[1] == "off" else {
            throw CommandFailure("a signal is set \"on\" or \"off\", not \"\(words[1])\"", .usage)
        }
        var setting = RetryClient.SignalSetting(
            words[0], isOn: words[1] == "on", scope: invocation.arguments.value("scope"))
        try readTimes(into: &setting, invocation)
        return try set(setting, invocation)
    }

    static func readTimes(
        into setting: inout RetryClient.SignalSetting, _ invocation: Invocation
    ) throws(CommandFailure) {
        setting.ttlMs = try invocation.spanMs("for")
        if let process = try invocation.integer("while", in: 1...Int64(Int32.max)) {
            setting.whileProcessID = Int32(process)
        }
        if let owner = invocation.arguments.value("owner") {
            setting.ownerID = try FilterOptions.userID(owner)
        }
    }

    static func set(
        _ setting: RetryClient.SignalSetting, _ invocation: Invocation
    ) throws(CommandFailure) -> Int32 {
        let answer = try invocation.ask { try $0.setSignalRaw(setting) }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            let signal = TerminalText.escape(answer["signal"]?.string ?? setting.signal)
            let level = setting.isOn ? "on" : "off"
            let released = OperationText.count(answer["released"]?.integer ?? 0)
            try invocation.console.writeLine("\(signal) is \(level); \(released) released")
        }
        return ExitCode.success.rawValue
    }
}
