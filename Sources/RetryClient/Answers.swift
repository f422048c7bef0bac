package import JSON

// What the daemon answers, as the types of the interface `io.retryd`. Words that the daemon may
// add to (states, rules, reasons) stay strings, so that an older client lives with a newer daemon.

/// What a failure means and what follows.
public struct ToldDecision: Hashable, Sendable {
    /// `retry`, `new-flow`, `reauthenticate` or `permanent`.
    public var disposition: String
    /// Of `retry`: `now`, `when-foreground`, `network` or `custom:NAME`.
    public var condition: String?
    /// Of `permanent`: what a person must do.
    public var action: String?
    /// The wait the server asked for.
    public var retryAfterS: Double?
    /// The server's wait was longer than the policy takes, and was cut.
    public var isClamped: Bool
    /// The rule that matched; nil: no rule knows the failure.
    public var rule: String?
    public var policy: String
    /// `waiting`, `parked` or `dead`.
    public var outcome: String
    /// Why parked or dead.
    public var cause: String?
    public var dueUsec: Int64?
    public var delayMs: Int64?

    package init(_ value: JSONValue) throws(ClientError) {
        disposition = try value.requiredString("disposition")
        condition = try value.optionalString("condition")
        action = try value.optionalString("action")
        retryAfterS = try value.optionalDouble("retry_after_s")
        isClamped = try value.optionalBool("clamped") ?? false
        rule = try value.optionalString("rule")
        policy = try value.requiredString("policy")
        outcome = try value.requiredString("outcome")
        cause = try value.optionalString("cause")
        dueUsec = try value.optionalInteger("due_usec")
        delayMs = try value.optionalInteger("delay_ms")
    }

    static func optional(
        _ name: StaticString, in value: JSONValue
    ) throws(ClientError) -> ToldDecision? {
        guard let member = value.optional(name) else { return nil }
        return try ToldDecision(member)
    }
}

/// The answer to Submit.
public struct Submitted: Hashable, Sendable {
    public var id: Int64
    public var state: String
    public var decision: ToldDecision?
    public var dueUsec: Int64?
    /// The key or the event was there before; `id` is that operation.
    public var isExisting: Bool
    /// The failure's event_id was told before; `decision` is the first one.
    public var isDuplicate: Bool

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        state = try value.requiredString("state")
        decision = try ToldDecision.optional("decision", in: value)
        dueUsec = try value.optionalInteger("due_usec")
        isExisting = try value.requiredBool("existing")
        isDuplicate = try value.requiredBool("duplicate")
    }
}

/// Why an operation does not run, when that can next change, and what would change it.
public struct ToldReason: Hashable, Sendable {
    /// A code of docs/STATES.md, e.g. `backoff-until`.
    public var code: String
    public var untilUsec: Int64?
    public var signal: String?
    public var queue: String?
    public var cause: String?
    public var processID: Int64?
    public var userID: Int64?
    /// A sentence: what happens next or what to do.
    public var next: String

    package init(_ value: JSONValue) throws(ClientError) {
        code = try value.requiredString("code")
        untilUsec = try value.optionalInteger("until_usec")
        signal = try value.optionalString("signal")
        queue = try value.optionalString("queue")
        cause = try value.optionalString("cause")
        processID = try value.optionalInteger("pid")
        userID = try value.optionalInteger("uid")
        next = try value.requiredString("next")
    }
}

/// The answer to Why.
public struct WhyAnswer: Hashable, Sendable {
    public var id: Int64
    public var state: String
    public var primary: ToldReason
    public var others: [ToldReason]

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        state = try value.requiredString("state")
        primary = try ToldReason(value.requiredObject("primary"))
        others = try value.list("others", ToldReason.init)
    }
}

/// One attempt of an operation's history.
public struct ToldAttempt: Hashable, Sendable {
    public var number: Int64
    public var atUsec: Int64
    /// `failed`, `succeeded`, `lost`, `released`, `stale`, `duplicate`, `cancelled`, `revived` or
    /// `replaced`.
    public var outcome: String
    /// Who told it.
    public var userID: Int64?
    public var decision: ToldDecision?
    public var failure: RawJSON?

    package init(_ value: JSONValue) throws(ClientError) {
        number = try value.requiredInteger("number")
        atUsec = try value.requiredInteger("at_usec")
        outcome = try value.requiredString("outcome")
        userID = try value.optionalInteger("uid")
        decision = try ToldDecision.optional("decision", in: value)
        failure = value.optionalRaw("failure")
    }
}

extension ToldAttempt {
    /// The attempts of an answer to History.
    package static func list(in answer: JSONValue) throws(ClientError) -> [ToldAttempt] {
        try answer.list("attempts", ToldAttempt.init)
    }
}

extension ToldSignal {
    /// The signals of an answer to ListSignals.
    package static func list(in answer: JSONValue) throws(ClientError) -> [ToldSignal] {
        try answer.list("signals", ToldSignal.init)
    }
}

/// A signal that was set at some time.
public struct ToldSignal: Hashable, Sendable {
    /// E.g. `foreground:user:1000`, `network`, `credential:NAME`.
    public var signal: String
    /// Whose it is; nil: it is shared by all.
    public var ownerID: Int64?
    public var isOn: Bool
    public var setterID: Int64
    public var sinceUsec: Int64
    /// When it falls back by itself.
    public var untilUsec: Int64?
    /// The process with whose end it falls back.
    public var whileProcessID: Int64?
    /// How many operations wait for it.
    public var waiting: Int64

    package init(_ value: JSONValue) throws(ClientError) {
        signal = try value.requiredString("signal")
        ownerID = try value.optionalInteger("owner_uid")
        isOn = try value.requiredBool("on")
        setterID = try value.requiredInteger("setter_uid")
        sinceUsec = try value.requiredInteger("since_usec")
        untilUsec = try value.optionalInteger("until_usec")
        whileProcessID = try value.optionalInteger("while_pid")
        waiting = try value.requiredInteger("waiting")
    }
}
