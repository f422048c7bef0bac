import JSON

extension RetryClient {
    /// How an attempt ended.
    public enum Outcome: Hashable, Sendable {
        case succeeded
        /// With its failure document.
        case failed(RawJSON?)
    }

    /// The right to run attempts.
    ///
    /// - Parameters:
    ///   - max: at most that many.
    ///   - visibilityMs: how long each lease stands without a word; nil: as the policy says.
    ///   - waitMs: waits up to that long for the first one.
    public func lease(
        queues: [String], max: Int64 = 1, visibilityMs: Int64? = nil, waitMs: Int64 = 0
    ) throws(ClientError) -> [LeasedOperation] {
        var options = options
        if let timeoutMs = options.timeoutMs { options.timeoutMs = timeoutMs + waitMs }
        // An answer that got lost leaves leases behind that fall back by themselves.
        return try answer("io.retryd.Lease", isRepeatable: true, options) { writer in
            WorkerCalls.lease(
                queues, max: max, visibilityMs: visibilityMs, waitMs: waitMs, into: &writer)
        }.list("operations", LeasedOperation.init)
    }

    /// Leases for as long as the stream is open: up to `max` attempts are out at a time, each
    /// answer (see `leased`) brings further ones as earlier ones are reported.
    public func leaseStream(
        queues: [String], max: Int64, visibilityMs: Int64? = nil, options: CallOptions? = nil
    ) throws(ClientError) -> ReplyStream {
        try stream("io.retryd.Lease", options: options) { writer in
            WorkerCalls.lease(
                queues, max: max, visibilityMs: visibilityMs, waitMs: nil, into: &writer)
        }
    }

    /// Keeps a lease alive.
    ///
    /// - Parameter holderProcessID: another process of the same user whose death shall end the
    ///   lease in place of this one's.
    /// - Returns: until when it stands, in microseconds since the epoch.
    @discardableResult
    public func extend(
        _ id: Int64, token: Int64, visibilityMs: Int64? = nil, holderProcessID: Int32? = nil
    ) throws(ClientError) -> Int64 {
        try answer("io.retryd.Extend", isRepeatable: true) { writer in
            WorkerCalls.extend(
                id, token: token, visibilityMs: visibilityMs, holderProcessID: holderProcessID,
                into: &writer)
        }.requiredInteger("until_usec")
    }

    /// Tells how an attempt ended.
    ///
    /// May be repeated: the token fences it. A repeated report of an attempt that was taken the
    /// first time gives `staleLease`.
    ///
    /// - Parameter leaseNext: asks for up to that many further operations of the same queue.
    @discardableResult
    public func report(
        _ id: Int64, token: Int64, _ outcome: Outcome, leaseNext: Int64 = 0
    ) throws(ClientError) -> Reported {
        try Reported(
            answer("io.retryd.Report", isRepeatable: true) { writer in
                WorkerCalls.report(
                    id, token: token, outcome, leaseNext: leaseNext, into: &writer)
            })
    }

    /// Gives an attempt back that was not made. It counts as a deferral, not as an attempt.
    @discardableResult
    public func release(
        _ id: Int64, token: Int64, delayMs: Int64? = nil, leaseNext: Int64 = 0
    ) throws(ClientError) -> Reported {
        try Reported(
            answer("io.retryd.Release", isRepeatable: true) { writer in
                WorkerCalls.release(
                    id, token: token, delayMs: delayMs, leaseNext: leaseNext, into: &writer)
            })
    }
}
