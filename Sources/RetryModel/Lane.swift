/// What kind of thing is retried, and so who can run it.
@frozen
public enum Kind: UInt8, Sendable, CaseIterable {
    /// The payload means something to the owner's own workers only.
    case custom = 0
    /// A command, run by retryd-exec as the owner.
    case command = 1
    /// A systemd unit to start.
    case unit = 2
    /// A request, sent by retryd-http.
    case http = 3

    public var name: StaticString {
        switch self {
        case .custom: "custom"
        case .command: "command"
        case .unit: "unit"
        case .http: "http"
        }
    }

    public init?(name: String) {
        for kind in Kind.allCases where kind.name.description == name {
            self = kind
            return
        }
        return nil
    }

    /// The queue reserved for this kind; nil when the owner chooses.
    public var reservedQueue: String? {
        self == .custom ? nil : name.description
    }
}

/// Everything about an operation that many operations share, kept once.
///
/// A waiting operation holds one number for all of it.
public struct Lane: Hashable, Sendable {
    public var owner: UserID
    /// The owner's group, as the kernel told it with the first operation of the lane.
    public var group: UInt32
    public var queue: String
    public var kind: Kind
    public var destination: String?
    public var credential: String?
    /// Whose foreground it waits for, in full: `user:1000` or `app:NAME`.
    public var scope: String
    /// The policy the operation asked for; nil leaves the choice to rule and queue.
    public var policy: String?

    public init(
        owner: UserID, group: UInt32, queue: String, kind: Kind, destination: String? = nil,
        credential: String? = nil, scope: String, policy: String? = nil
    ) {
        self.owner = owner
        self.group = group
        self.queue = queue
        self.kind = kind
        self.destination = destination
        self.credential = credential
        self.scope = scope
        self.policy = policy
    }
}
