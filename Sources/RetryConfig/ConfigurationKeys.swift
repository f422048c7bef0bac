/// The keys of the configuration files, section by section, as config/retryd.toml documents them.

/// Sections. `policy`, `queue` and `destination` have a name behind a dot, the others stand for
/// themselves.
enum SectionKey: String, CaseIterable {
    case limits
    case retention
    case policy
    case queue
    case destination
    case ramp
    case command
    case rules
    case signals
    case admin
    case journal
}

/// `[limits]`
enum LimitKey: String, CaseIterable {
    case payloadSize = "payload-size"
    case failureSize = "failure-size"
    case operations
    case operationsPerUser = "operations-per-user"
    case bytesPerUser = "bytes-per-user"
    case connections
    case connectionsPerUser = "connections-per-user"
    case reconnectGrace = "reconnect-grace"
    case restartGrace = "restart-grace"
}

/// `[retention]`
enum RetentionKey: String, CaseIterable {
    case ended
    case endedCount = "ended-count"
    case dead
    case deadCount = "dead-count"
    case events
    case attempts
}

/// `[policy.NAME]`
enum PolicyKey: String, CaseIterable {
    case initial
    case factor
    case max
    case jitter
    case floor
    case steps
    case maxAttempts = "max-attempts"
    case maxAge = "max-age"
    case hintMax = "hint-max"
    case hintOverMax = "hint-over-max"
    case resetAfter = "reset-after"
    case maxHold = "max-hold"
    case maxPark = "max-park"
    case maxRecoveries = "max-recoveries"
    case visibility
}

/// `[queue.NAME]`
enum QueueKey: String, CaseIterable {
    case workers
    case submitters
    case policy
}

/// `[destination.NAME]`
enum DestinationSettingKey: String, CaseIterable {
    case concurrency
    case budget
    case budgetPerSecond = "budget-per-second"
    case attemptCost = "attempt-cost"
    case lostCost = "lost-cost"
    case successBonus = "success-bonus"
    case breakerFailures = "breaker-failures"
    case breakerOpen = "breaker-open"
    case breakerOpenMax = "breaker-open-max"
    case shared
}

/// `[ramp]`
enum RampKey: String, CaseIterable {
    case first
    case growth
}

/// `[command]`
enum CommandKey: String, CaseIterable {
    case allowUsers = "allow-users"
}

/// `[rules]`
enum RulesKey: String, CaseIterable {
    case recoverAutomatically = "recover-automatically"
}

/// `[signals]`
enum SignalsKey: String, CaseIterable {
    case followNetwork = "follow-network"
    case followSessions = "follow-sessions"
}

/// `[admin]`
enum AdminKey: String, CaseIterable {
    case group
}

/// `[journal]`
enum JournalKey: String, CaseIterable {
    case level
}
