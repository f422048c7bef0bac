package import JSON

/// A pause, as ListPauses tells it.
public struct ToldPause: Hashable, Sendable {
    /// Nil: all users'.
    public var ownerID: Int64?
    public var queue: String?
    public var destination: String?
    public var credential: String?
    public var authorID: Int64
    public var reason: String
    public var sinceUsec: Int64
    public var untilUsec: Int64?
    /// Operations it holds.
    public var waiting: Int64

    package init(_ value: JSONValue) throws(ClientError) {
        ownerID = try value.optionalInteger("owner_uid")
        queue = try value.optionalString("queue")
        destination = try value.optionalString("destination")
        credential = try value.optionalString("credential")
        authorID = try value.requiredInteger("author_uid")
        reason = try value.requiredString("reason")
        sinceUsec = try value.requiredInteger("since_usec")
        untilUsec = try value.optionalInteger("until_usec")
        waiting = try value.requiredInteger("waiting")
    }

    package static func list(in answer: JSONValue) throws(ClientError) -> [ToldPause] {
        var pauses: [ToldPause] = []
        guard let elements = answer["pauses"]?.elements else { return [] }
        for element in elements { pauses.append(try ToldPause(element)) }
        return pauses
    }
}

/// A remote party, as ListDestinations tells it.
public struct ToldDestination: Hashable, Sendable {
    public var destination: String
    /// Nil: all users of the host share it.
    public var ownerID: Int64?
    /// `closed`, `open` or `half-open`.
    public var breaker: String
    public var untilUsec: Int64?
    /// Failures in a row.
    public var failures: Int64
    /// Tokens for attempts.
    public var budget: Int64
    public var budgetMax: Int64
    public var running: Int64
    /// Nil: as many as the workers make.
    public var runningMax: Int64?
    public var waiting: Int64

    package init(_ value: JSONValue) throws(ClientError) {
        destination = try value.requiredString("destination")
        ownerID = try value.optionalInteger("owner_uid")
        breaker = try value.requiredString("breaker")
        untilUsec = try value.optionalInteger("until_usec")
        failures = try value.requiredInteger("failures")
        budget = try value.requiredInteger("budget")
        budgetMax = try value.requiredInteger("budget_max")
        running = try value.requiredInteger("running")
        runningMax = try value.optionalInteger("running_max")
        waiting = try value.requiredInteger("waiting")
    }

    package static func list(in answer: JSONValue) throws(ClientError) -> [ToldDestination] {
        var all: [ToldDestination] = []
        guard let elements = answer["destinations"]?.elements else { return [] }
        for element in elements { all.append(try ToldDestination(element)) }
        return all
    }
}
