/// How long a call may take and what it bears.
public struct CallOptions: Hashable, Sendable {
    /// Longest wait for an answer; nil waits for ever. A call that itself waits (Lease with
    /// `wait_ms`) gets that time on top.
    public var timeoutMs: Int64?
    /// How long to go on trying while the daemon cannot be reached, as when it restarts. 0: not
    /// at all. A call whose answer got lost is repeated only where that is safe.
    public var reconnectMs: Int64

    public init(timeoutMs: Int64? = 60_000, reconnectMs: Int64 = 0) {
        self.timeoutMs = timeoutMs
        self.reconnectMs = reconnectMs
    }
}
