import RetryClient

/// `retryctl foreground`
package enum ForegroundCommand {
    package static let definition = CommandDefinition(
        "foreground", "tell that a user or program came to the front",
        examples: [
            .init("retryctl foreground", "you are at the screen"),
            .init("retryctl foreground app:mail --while 4711", "as long as process 4711 lives"),
            .init("retryctl foreground --off", "you have left"),
        ],
        details: [
            "SCOPE is user:UID (default: yourself) or app:NAME. It is a level, not an event: what "
                + "comes to wait for it later does not wait. Prints how many operations it let go."
        ],
        operands: .words("SCOPE", min: 0, max: 1),
        options: [
            .flag("off", "it is in the background"),
            .value("for", "TIME", "falls back by itself after that, e.g. 60s"),
            .value("while", "PID", "falls back when this process of yours ends"),
            .value("owner", "USER", "the app of this user (admins only)"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let scope = invocation.arguments.words.first
        var setting = RetryClient.SignalSetting(
            "foreground", isOn: !invocation.arguments.has("off"), scope: scope)
        try SignalCommand.readTimes(into: &setting, invocation)
        return try SignalCommand.set(setting, invocation)
    }
}
