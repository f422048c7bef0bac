/// A named, scoped, stored level (spec section 7).
public enum SignalName: Hashable, Sendable {
    /// `user:UID` is shared; an `app:NAME` scope belongs to its owner.
    case foreground(scope: String, owner: UserID)
    case network
    /// On: the sign-in works. Off: it was refused, everything naming it waits.
    case credential(name: String, owner: UserID)
    case custom(name: String, owner: UserID)

    /// The foreground of a scope as an owner means it: everybody means the same `user:UID`.
    public static func foreground(of scope: String, for owner: UserID) -> SignalName {
        .foreground(scope: scope, owner: scope.utf8.starts(with: "user:".utf8) ? 0 : owner)
    }

    /// Whose it is; nil: it is shared by all.
    public var owner: UserID? {
        switch self {
        case .network: nil
        case .foreground(let scope, let owner):
            scope.utf8.starts(with: "user:".utf8) ? nil : owner
        case .credential(_, let owner), .custom(_, let owner): owner
        }
    }

    /// The level before anybody set it. A credential is taken to work until it is refused, the
    /// network to be there until its monitor says otherwise.
    public var initialLevel: Bool {
        switch self {
        case .foreground, .custom: false
        case .network, .credential: true
        }
    }
}

/// A signal as it is stored.
public struct SignalRecord: Hashable, Sendable {
    public var name: SignalName
    public var isOn: Bool
    public var setter: UserID
    public var changedAt: Instant
    public var changedAtWall: WallTime
    /// When the level falls back by itself; nil: never.
    public var until: Instant?
    /// Raised by every set, so that a lease can tell which renewal it began under.
    public var generation: UInt32
    /// The process while which the level stands, and falls back with its end; nil: none.
    public var whileAlive: LeaseHolder?

    public init(
        name: SignalName, isOn: Bool, setter: UserID, changedAt: Instant, changedAtWall: WallTime,
        until: Instant? = nil, generation: UInt32 = 0,
        whileAlive: LeaseHolder? = nil
    ) {
        self.name = name
        self.isOn = isOn
        self.setter = setter
        self.changedAt = changedAt
        self.changedAtWall = changedAtWall
        self.until = until
        self.generation = generation
        self.whileAlive = whileAlive
    }
}
