/// What a pause stops: all that fits every member that is given. None given: everything.
public struct PauseScope: Hashable, Sendable {
    /// Whose operations; nil: those of all users.
    public var owner: UserID?
    public var queue: String?
    public var destination: String?
    public var credential: String?

    public init(
        owner: UserID? = nil, queue: String? = nil, destination: String? = nil,
        credential: String? = nil
    ) {
        self.owner = owner
        self.queue = queue
        self.destination = destination
        self.credential = credential
    }

    /// Whether the operations of a lane are stopped.
    public func holds(_ lane: Lane) -> Bool {
        if let owner, owner != lane.owner { return false }
        if let queue, queue != lane.queue { return false }
        if let destination, destination != lane.destination { return false }
        if let credential, credential != lane.credential { return false }
        return true
    }
}

/// A pause as it is stored: nothing in its scope is handed to workers until it is taken back.
public struct PauseRecord: Hashable, Sendable {
    public var scope: PauseScope
    /// Who paused.
    public var author: UserID
    /// Why, in the author's words.
    public var reason: String
    public var since: WallTime
    /// When it ends by itself; nil: when somebody resumes.
    public var until: Instant?

    public init(
        scope: PauseScope, author: UserID, reason: String, since: WallTime, until: Instant? = nil
    ) {
        self.scope = scope
        self.author = author
        self.reason = reason
        self.since = since
        self.until = until
    }
}

/// Number of a pause in the store.
public typealias PauseIndex = UInt32
