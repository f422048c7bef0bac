extension RulePhase {
    /// The phase of a rule that names none: the earliest its conditions speak about, so that a
    /// rule is asked before every rule about less telling evidence.
    ///
    /// Nil where they speak about the request alone, which tells nothing.
    init?(evidence alternatives: [WhenDefinition]) {
        let paths = alternatives.flatMap(\.conditions).map(\.path)
        // Exit codes mean what they mean in a program, or by convention where none is named.
        let namesProgram = paths.contains { path in
            path.segments.first == "process" && path.segments.dropFirst().first != "exit_code"
                && path.segments.dropFirst().first != "signal"
        }
        let phases = paths.compactMap { path in
            RulePhase(of: path, namesProgram: namesProgram)
        }
        guard let first = phases.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
        self = first
    }

    private init?(of path: RulePath, namesProgram: Bool) {
        switch path.segments.first {
        case "sdk", "haapi", "retry_requested":
            self = .verdict
        case "oauth", "graph", "grpc", "smtp", "sql", "redis", "aws":
            self = .body
        case "http":
            self = path.segments.dropFirst().first == "body" ? .body : .status
        case "errno", "gai", "nserror", "dns", "tls", "dbus":
            self = .transport
        case "process":
            self = namesProgram ? .program : .generic
        case _:
            return nil
        }
    }
}
