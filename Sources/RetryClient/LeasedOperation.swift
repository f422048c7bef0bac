package import JSON

/// The right to run one attempt, with all a worker needs for it.
public struct LeasedOperation: Hashable, Sendable {
    public var id: Int64
    /// Fences the attempt: told with Extend, Report and Release.
    public var token: Int64
    /// Number of the attempt; the failure told with Submit is attempt 1.
    public var attempt: Int64
    /// How often a lease of it was lost.
    public var recoveries: Int64
    public var queue: String
    public var kind: String
    public var key: String?
    public var ownerID: Int64
    public var ownerGroupID: Int64
    public var scope: String
    public var destination: String?
    public var credential: String?
    /// How often that sign-in was renewed; nil: there is none.
    public var credentialGeneration: Int64?
    public var priority: Int64
    public var tags: [String]
    public var isIdempotent: Bool?
    public var deadlineUsec: Int64?
    /// When the lease ends without a word from the worker.
    public var visibilityUsec: Int64
    /// A unit that runs for so long has succeeded (the policy's `reset-after`); nil: of another
    /// kind.
    public var resetAfterMs: Int64?
    public var payload: OperationDraft.Payload
    /// The newest one told.
    public var failure: RawJSON?
    /// Its event_id: which event of the world it was.
    public var failedEvent: String?
    /// For the next DPoP proof (RFC 9449): what the server sent with that failure.
    public var dpopNonce: String?

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        token = try value.requiredInteger("token")
        attempt = try value.requiredInteger("attempt")
        recoveries = try value.requiredInteger("recoveries")
        queue = try value.requiredString("queue")
        kind = try value.requiredString("kind")
        key = try value.optionalString("key")
        ownerID = try value.requiredInteger("owner_uid")
        ownerGroupID = try value.requiredInteger("owner_gid")
        scope = try value.requiredString("scope")
        destination = try value.optionalString("destination")
        credential = try value.optionalString("credential")
        credentialGeneration = try value.optionalInteger("credential_generation")
        priority = try value.requiredInteger("priority")
        tags = try value.strings("tags")
        isIdempotent = try value.optionalBool("idempotent")
        deadlineUsec = try value.optionalInteger("deadline_usec")
        visibilityUsec = try value.requiredInteger("visibility_usec")
        resetAfterMs = try value.optionalInteger("reset_after_ms")
        payload = try OperationDraft.Payload(in: value)
        failure = value.optionalRaw("failure")
        failedEvent = value["failure"]?["event_id"]?.string
        dpopNonce = try value.optionalString("dpop_nonce")
    }
}

/// The answer to Report and to Release: where the operation went, and what comes next.
public struct Reported: Hashable, Sendable {
    public var id: Int64
    public var state: String
    /// What the failure meant; nil after a success and a release.
    public var decision: ToldDecision?
    public var dueUsec: Int64?
    /// The failure's event_id was told before; `decision` is the first one.
    public var isDuplicate: Bool
    /// The further operations asked for.
    public var operations: [LeasedOperation]

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        state = try value.requiredString("state")
        decision = try ToldDecision.optional("decision", in: value)
        dueUsec = try value.optionalInteger("due_usec")
        isDuplicate = try value.optionalBool("duplicate") ?? false
        operations = try value.list("operations", LeasedOperation.init)
    }
}
