package import JSON

/// The answer to Status.
public struct DaemonStatus: Hashable, Sendable {
    /// How many operations are in a state.
    public struct Count: Hashable, Sendable {
        public var name: String
        public var count: Int64
    }

    /// Operations that became runnable together, and go by and by.
    public struct Release: Hashable, Sendable {
        /// `start`, `overdue`, `clock-step`, `signal`, `breaker`, `resume`, `retry`, `lease-lost`.
        public var trigger: String
        /// How many went so far, and are still to go.
        public var released: Int64
        public var waiting: Int64
        /// The most that went in 100 ms.
        public var peak: Int64
        public var overUsec: Int64
        /// When the last of it went; nil: it goes on.
        public var endedUsec: Int64?

        init(_ value: JSONValue) throws(ClientError) {
            trigger = try value.requiredString("trigger")
            released = try value.requiredInteger("released")
            waiting = try value.requiredInteger("waiting")
            peak = try value.requiredInteger("peak")
            overUsec = try value.requiredInteger("over_usec")
            endedUsec = try value.optionalInteger("ended_usec")
        }
    }

    public var version: String
    public var processID: Int64
    /// What it is doing, as in `systemctl status`.
    public var sentence: String
    public var startedUsec: Int64
    /// `serving`, or `failing` while it can't be written.
    public var store: String
    public var isServing: Bool { store == "serving" }
    /// Operations the caller may see, by state, in the daemon's order.
    public var counts: [Count]
    /// When the next operation is due.
    public var nextUsec: Int64?
    /// The herd that is being released or was last; nil: there was none yet, or not for an admin.
    public var release: Release?
    /// The least important entries that go to the journal: `info`, `debug` …
    public var logLevel: String
    public var connections: Int64
    public var rules: Int64
    public var rulesHash: String
    public var memoryBytes: Int64

    package init(_ value: JSONValue) throws(ClientError) {
        version = try value.requiredString("version")
        processID = try value.requiredInteger("pid")
        sentence = try value.requiredString("sentence")
        startedUsec = try value.requiredInteger("started_usec")
        store = try value.requiredString("store")
        counts = []
        if let members = try value.requiredObject("counts").members {
            for member in members {
                counts.append(Count(name: member.name.string, count: member.value.integer ?? 0))
            }
        }
        nextUsec = try value.optionalInteger("next_usec")
        if let told = value["release"], told.kind == .object { release = try Release(told) }
        logLevel = try value.requiredString("log_level")
        connections = try value.requiredInteger("connections")
        rules = try value.requiredInteger("rules")
        rulesHash = try value.requiredString("rules_hash")
        memoryBytes = try value.requiredInteger("memory_bytes")
    }
}

/// One answer of Watch.
public struct WatchEvent: Hashable, Sendable {
    /// `present`, `settled`, then `accepted`, `attempt-failed`, `succeeded`, `gave-up`, `held`,
    /// `released`, `ready`, `leased`, `lease-lost`, `parked`, `cancelled`, `revived`, `replaced`,
    /// `resolved`, `recovered`, `credential-held`, `standby`, `removed`.
    public var event: String
    public var atUsec: Int64
    public var operation: OperationSummary?
    public var decision: ToldDecision?
    /// Of `recovered`: `retried` or `cancelled`.
    public var outcome: String?
    /// Of `credential-held`: the sign-in that was refused.
    public var signal: String?

    package init(_ value: JSONValue) throws(ClientError) {
        event = try value.requiredString("event")
        atUsec = try value.requiredInteger("at_usec")
        if let member = value.optional("operation") { operation = try OperationSummary(member) }
        decision = try ToldDecision.optional("decision", in: value)
        outcome = try value.optionalString("outcome")
        signal = try value.optionalString("signal")
    }
}

/// The answer to Reload.
public struct Reloaded: Hashable, Sendable {
    public var rules: Int64
    public var rulesHash: String

    package init(_ value: JSONValue) throws(ClientError) {
        rules = try value.requiredInteger("rules")
        rulesHash = try value.requiredString("rules_hash")
    }
}
