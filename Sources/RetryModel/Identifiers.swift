/// An operation's number: positive, never reused.
@frozen
public struct OperationID: RawRepresentable, Hashable, Comparable, Sendable {
    public var rawValue: Int64

    @inlinable
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func < (left: OperationID, right: OperationID) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Fences an attempt: the number of times its operation was leased. A report with an older token
/// than the newest is stale. Workers treat it as an opaque number.
@frozen
public struct LeaseToken: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// A user's number, as the kernel told it.
public typealias UserID = UInt32

/// Number of a rule's name in the store's list of rule names. 0: no rule (nothing known matched).
public typealias RuleIndex = UInt16

/// Number of a policy in the table of policies in force. 0: the policy named `default`.
public typealias PolicyIndex = UInt16

/// Number of a lane in the lane table.
public typealias LaneIndex = UInt32

/// Number of a signal in the signal table.
public typealias SignalIndex = UInt32

/// The process that runs an attempt. A process number alone is reused; with its start time
/// (field 22 of /proc/PID/stat, clock ticks after boot; 0 where it could not be read) it is not.
@frozen
public struct LeaseHolder: Hashable, Sendable {
    public var user: UserID
    public var process: Int32
    public var startTicks: UInt64

    public init(user: UserID, process: Int32, startTicks: UInt64) {
        self.user = user
        self.process = process
        self.startTicks = startTicks
    }

    /// The process tells nearly all holders apart, and hashing one number is half the work.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(process)
    }
}
