import RetryClient

/// What a command finds in its environment: a clean base, then what its owner listed, then what
/// retryd tells. Nothing of retryd-exec's own.
enum CommandEnvironment {
    /// As systemd gives its services (systemd.exec(5), "Environment Variables").
    private static let searchPath =
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// "NAME=value", each name once; a later one counts in place of an earlier one.
    ///
    /// - Parameter socket: where retryd listens; nil: where every program looks for it.
    static func make(
        for operation: LeasedOperation, _ command: CommandPayload, _ account: CommandAccount,
        socket: String?
    ) -> [String] {
        var variables: [(name: String, value: String?)] = [
            ("PATH", searchPath), ("HOME", account.home), ("USER", account.name),
            ("LOGNAME", account.name), ("SHELL", account.shell), ("RETRYD_SOCKET", socket),
        ]
        variables += command.environment.map { ($0.name, $0.value) }
        variables += [
            ("RETRYD_OPERATION", "\(operation.id)"), ("RETRYD_ATTEMPT", "\(operation.attempt)"),
            ("RETRYD_RECOVERIES", "\(operation.recoveries)"), ("RETRYD_QUEUE", operation.queue),
            ("RETRYD_KEY", operation.key), ("RETRYD_DESTINATION", operation.destination),
            ("RETRYD_CREDENTIAL", operation.credential),
        ]
        var positions: [String: Int] = [:]
        var environment: [String] = []
        for (name, value) in variables {
            guard let value else { continue }
            let entry = "\(name)=\(value)"
            if let position = positions[name] {
                environment[position] = entry
            } else {
                positions[name] = environment.count
                environment.append(entry)
            }
        }
        return environment
    }
}
