import RetryClient

/// The options every command has.
package enum GlobalOptions {
    package static let definitions: [OptionDefinition] = [
        .flag("user", "talk to your own retryd"),
        .flag("system", "talk to the host's retryd (the default)"),
        .value("socket", "PATH", "talk to the retryd on this socket (RETRYD_SOCKET does the same)"),
        .choice(
            "json", Console.JSONMode.allCases.map(\.rawValue), alone: "pretty",
            "print JSON: short is one object a line"),
        .flag("no-legend", "print no headings and no sums"),
        .flag("no-pager", "accepted; there is never a pager"),
        .flag("quiet", short: "q", "say nothing but errors"),
        .flag("help", short: "h", "explain the command"),
        .flag("version", "print the version"),
    ]

    /// The socket to talk to.
    package static func socketPath(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> String {
        if arguments.has("user"), arguments.has("system") {
            throw CommandFailure("--user and --system exclude each other", .usage)
        }
        if let path = arguments.value("socket") { return path }
        do throws(ClientError) {
            // Who says which service is meant means it, whatever the environment says.
            if arguments.has("user") { return try SocketPath.path(of: .user) }
            if arguments.has("system") { return try SocketPath.path(of: .system) }
            return try SocketPath.find(.system)
        } catch {
            throw CommandFailure(error)
        }
    }
}
