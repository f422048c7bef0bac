import JSON

extension PolledConnection {
    /// Asks for the right to run attempts; see `RetryClient.lease`.
    package func lease(
        queues: [String], max: Int64, waitMs: Int64,
        handler: @escaping (Result<[LeasedOperation], ClientError>) throws -> Void
    ) {
        call("io.retryd.Lease") { writer in
            WorkerCalls.lease(queues, max: max, visibilityMs: nil, waitMs: waitMs, into: &writer)
        } handler: { answer in
            try handler(
                answer.read { (answer) throws(ClientError) in
                    try answer.list("operations", LeasedOperation.init)
                })
        }
    }

    /// Keeps a lease alive; see `RetryClient.extend`.
    package func extend(
        _ id: Int64, token: Int64, holderProcessID: Int32,
        handler: @escaping (Result<Int64, ClientError>) throws -> Void
    ) {
        call("io.retryd.Extend") { writer in
            WorkerCalls.extend(
                id, token: token, visibilityMs: nil, holderProcessID: holderProcessID,
                into: &writer)
        } handler: { answer in
            try handler(
                answer.read { (answer) throws(ClientError) in
                    try answer.requiredInteger("until_usec")
                })
        }
    }

    /// Tells how an attempt ended; see `RetryClient.report`.
    package func report(
        _ id: Int64, token: Int64, _ outcome: RetryClient.Outcome, leaseNext: Int64,
        handler: @escaping (Result<Reported, ClientError>) throws -> Void
    ) {
        call("io.retryd.Report") { writer in
            WorkerCalls.report(id, token: token, outcome, leaseNext: leaseNext, into: &writer)
        } handler: { answer in
            try handler(answer.read(Reported.init))
        }
    }

    /// Gives an attempt back that was not made; see `RetryClient.release`.
    package func release(
        _ id: Int64, token: Int64, delayMs: Int64,
        handler: @escaping (Result<Reported, ClientError>) throws -> Void
    ) {
        call("io.retryd.Release") { writer in
            WorkerCalls.release(
                id, token: token, delayMs: delayMs, leaseNext: 0, into: &writer)
        } handler: { answer in
            try handler(answer.read(Reported.init))
        }
    }
}

extension Result where Success == JSONValue, Failure == ClientError {
    /// Reads an answer that is none of the daemon's errors.
    fileprivate func read<Value>(
        _ body: (JSONValue) throws(ClientError) -> Value
    ) -> Result<Value, ClientError> {
        Result<Value, ClientError> { () throws(ClientError) in try body(get()) }
    }
}
