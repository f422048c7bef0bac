import TOML

/// The members a failure document is known to have, so that a misspelt path is noticed.
///
/// Unknown members can be matched too. But a name that differs from a known one by a letter or
/// two is taken for a mistake, unless its pack lists it under `members`.
struct KnownPaths {
    /// Members by the path they stand under.
    private var members: [String: [String]]
    /// Paths under which anything may stand.
    private static let open: Set<String> = [
        "http.headers", "http.body", "grpc.metadata", "grpc.details", "nserror.userInfo",
        "nserror.underlying", "nserror.cause", "oauth.redirect_params", "haapi.recovery",
        "haapi.cause", "batch",
    ]

    /// Spec section 4.
    private static let documented: [String: [String]] = [
        "": [
            "request", "received_at", "message", "expected_content_type", "http", "oauth", "graph",
            "haapi", "process", "errno", "gai", "nserror", "grpc", "smtp", "sql", "redis", "aws",
            "dns", "tls", "dbus", "sdk", "batch", "recovery_disabled", "retry_requested",
            "event_id",
        ],
        "request": ["method", "url", "idempotent", "idempotency_key", "bytes_sent", "unit"],
        "http": ["status", "headers", "body"],
        "oauth": [
            "endpoint", "grant_type", "token_type", "attempt", "previous_error", "interval",
            "redirect_params", "prompt", "par", "error",
        ],
        "graph": ["token_kind", "declined_permissions"],
        "haapi": [
            "platform", "case", "class", "code", "name", "error", "recovery", "condition",
            "action", "reason", "statusCode", "cause", "problem",
        ],
        "process": [
            "program", "args", "version", "exit_code", "signal", "stderr_tail", "service_result",
            "oom_kill", "core_dumped",
        ],
        "errno": ["name", "number", "platform", "syscall"],
        "gai": ["name", "number", "platform"],
        "nserror": [
            "domain", "code", "platform", "localized_description", "userInfo", "underlying",
            "cause", "class",
        ],
        "grpc": ["code", "status", "metadata", "details"],
        "smtp": ["code", "enhanced", "text", "phase"],
        "sql": ["sqlstate", "message", "phase"],
        "redis": ["error"],
        "aws": ["error_name"],
        "dns": ["rcode", "name", "qname"],
        "tls": ["alert", "name", "direction", "phase"],
        "dbus": ["name", "message"],
        "sdk": ["error"],
    ]

    init() {
        members = Self.documented
    }

    /// Adds a path that packs made known: the name of a fact, or one under `members`.
    mutating func add(_ path: RulePath) {
        var parent = ""
        for segment in path.segments {
            if members[parent]?.contains(segment) != true {
                members[parent, default: []].append(segment)
            }
            parent = parent.isEmpty ? segment : "\(parent).\(segment)"
        }
    }

    /// What was meant by a path that is probably a mistake; nil where it may stand.
    func nearest(to path: RulePath) -> String? {
        var parent = ""
        for (depth, segment) in path.segments.enumerated() {
            if Self.open.contains(parent) { return nil }
            let known = members[parent] ?? []
            if !known.contains(segment) {
                guard let name = NearestName.find(segment, in: known) else { return nil }
                var meant = path
                meant.segments[depth] = name
                return meant.text
            }
            parent = parent.isEmpty ? segment : "\(parent).\(segment)"
        }
        return nil
    }
}
