package import RetryModel

/// Everything an administrator may change, read whole and replaced whole.
///
/// `Configuration.standard` is what an empty /etc means. Each key of the files, its meaning and
/// its default stand in config/retryd.toml; the same words name the properties here.
package struct Configuration: Equatable, Sendable {
    package var limits = ConfiguredLimits()
    package var retention = Retention()
    /// Policies in force, `default` first, the others by name; `slow` is always among them.
    package var policies: [Policy] = [.standard, .slow(from: .standard)]
    /// Settings of the queues that have any, by name.
    package var queues: [String: QueueSettings] = [:]
    /// How remote parties are spared.
    package var destinations = DestinationSettings()
    /// How fast a herd is released.
    package var ramp = RampSettings()
    /// Users who may hand over commands although they are root or below `systemUsersEnd`.
    package var commandUsers: [UserID] = []
    /// Errors that a client library would recover from by itself are retried; off, they are handed
    /// to the caller, as if every failure had `recovery_disabled`.
    package var recoversAutomatically = true
    /// `network` follows the host's routes; off, it is on until an admin sets it.
    package var followsNetwork = true
    /// Group whose members may see and change everybody's operations; nil: it does not exist.
    package var adminGroup: UInt32?
    /// Name of that group, for messages.
    package var adminGroupName = Configuration.adminGroupDefault
    /// Whose sessions mean that a user is in the foreground.
    package var sessions = SessionChoice.seat
    /// Least important journal entry that is written.
    package var journalLevel = JournalLevel.info

    package init() {}

    package static let standard = Configuration()
    package static let adminGroupDefault = "retryd-admin"

    /// First user number of ordinary users (Debian Policy 9.2.2: 0-999 belong to the system).
    package static let systemUsersEnd: UserID = 1_000
}

extension Configuration {
    /// The position of a policy in `policies`; nil: no policy has that name.
    package func policyIndex(named name: String) -> PolicyIndex? {
        policies.firstIndex { $0.name == name }.map(PolicyIndex.init)
    }

    /// Whether a user may lease other owners' operations of a queue.
    package func isWorker(_ user: UserID, ofQueue queue: String) -> Bool {
        queues[queue]?.workers.contains(user) ?? false
    }

    /// Whether a user may submit to a queue. Everybody may where nobody is listed.
    package func isSubmitter(_ user: UserID, toQueue queue: String) -> Bool {
        guard let submitters = queues[queue]?.submitters else { return true }
        return submitters.contains(user)
    }

    /// Whether commands of a user are taken: root and system users must be listed (as cron.allow).
    package func mayRunCommands(_ user: UserID) -> Bool {
        user >= Configuration.systemUsersEnd || commandUsers.contains(user)
    }
}

/// `[signals] follow-sessions`: which of logind's sessions mean that their user is there.
package enum SessionChoice: String, Sendable, CaseIterable {
    /// Active ones of a person at a seat of the host, not locked.
    case seat
    /// Those that came over the network too; never cron's and background ones.
    case remote
    /// None: only what is told by `retryctl foreground` and others.
    case none
}

/// `[queue.NAME]`: who besides the owners has to do with a queue.
package struct QueueSettings: Equatable, Sendable {
    /// Users who may lease other owners' operations of the queue.
    package var workers: [UserID] = []
    /// The only users who may submit to it; nil: everybody.
    package var submitters: [UserID]?
    /// Policy of operations that ask for none and whose rule names none.
    package var policy: String?

    package init() {}
}

/// `[limits]`: how much the daemon takes in and how patient it is with its callers.
package struct ConfiguredLimits: Equatable, Sendable {
    /// A payload before base64, in bytes.
    package var payloadBytesMax = Limits.payloadBytesMax
    /// A failure document after redaction, in bytes.
    package var failureBytesMax = Limits.failureBytesMax
    /// Live operations in all.
    package var operationsMax = Limits.operationsMax
    /// Live operations of one user, root excepted.
    package var operationsPerUserMax = Limits.operationsPerUserMax
    /// What the operations of one user keep on disk, root excepted, in bytes.
    package var bytesPerUserMax = Limits.bytesPerUserMax
    /// Connections in all.
    package var connectionsMax = Limits.connectionsMax
    /// Connections of one user.
    package var connectionsPerUserMax = Limits.connectionsPerUserMax
    /// How long a closed connection leaves its leases.
    package var reconnectGrace = Limits.reconnectGrace
    /// How long stored leases stand at least after a start of the daemon.
    package var restartGrace = Limits.restartGrace

    package init() {}

    /// A call or reply, in bytes: the largest payload in base64, the largest failure with every
    /// byte escaped at worst to two, and room for the frame; never below `Limits.messageBytesMax`.
    package var messageBytesMax: Int {
        let largest = (payloadBytesMax + 2) / 3 * 4 + failureBytesMax * 2 + 64 * 1024
        return max(Limits.messageBytesMax, largest)
    }
}

/// `[retention]`: how long what has ended is kept. Counts are bounds too; the oldest go first.
package struct Retention: Equatable, Sendable {
    package var ended = Limits.endedKept
    package var endedCountMax = Limits.endedKeptMax
    package var dead = Limits.deadKept
    package var deadCountMax = Limits.deadKeptMax
    /// How long the event_id of an ended operation is remembered.
    package var events = Limits.eventKept
    /// Attempts of one operation kept with their failures.
    package var attemptsMax = Limits.attemptsKeptMax

    package init() {}
}

/// `[journal] level`, in the words and numbers of syslog(3).
package enum JournalLevel: Int32, Sendable, CaseIterable {
    case emergency = 0
    case alert = 1
    case critical = 2
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The word in the configuration, as in systemd's `LogLevelMax=`.
    package var name: String {
        switch self {
        case .emergency: "emerg"
        case .alert: "alert"
        case .critical: "crit"
        case .error: "err"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }
}
