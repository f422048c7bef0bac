import RetryClient

/// `retryctl background`
package enum BackgroundCommand {
    package static let definition = CommandDefinition(
        "background", "tell that a user or program went to the back",
        examples: [.init("retryctl background", "you have left; as \"foreground --off\"")],
        operands: .words("SCOPE", min: 0, max: 1),
        options: [.value("owner", "USER", "the app of this user (admins only)")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        var setting = RetryClient.SignalSetting(
            "foreground", isOn: false, scope: invocation.arguments.words.first)
        if let owner = invocation.arguments.value("owner") {
            setting.ownerID = try FilterOptions.userID(owner)
        }
        return try SignalCommand.set(setting, invocation)
    }
}
