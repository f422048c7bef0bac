import JSON

/// The parameters of a worker's calls, for every kind of connection.
enum WorkerCalls {
    static func lease(
        _ queues: [String], max: Int64, visibilityMs: Int64?, waitMs: Int64?,
        into writer: inout JSONWriter
    ) {
        writer.name("queues")
        writer.beginArray()
        for queue in queues { writer.string(queue) }
        writer.endArray()
        writer.member("max", max)
        writer.member("visibility_ms", visibilityMs)
        writer.member("wait_ms", waitMs)
    }

    static func extend(
        _ id: Int64, token: Int64, visibilityMs: Int64?, holderProcessID: Int32?,
        into writer: inout JSONWriter
    ) {
        writer.member("id", id)
        writer.member("token", token)
        writer.member("visibility_ms", visibilityMs)
        writer.member("holder_pid", holderProcessID.map { Int64($0) })
    }

    static func report(
        _ id: Int64, token: Int64, _ outcome: RetryClient.Outcome, leaseNext: Int64,
        into writer: inout JSONWriter
    ) {
        writer.member("id", id)
        writer.member("token", token)
        writer.name("outcome")
        switch outcome {
        case .succeeded: writer.literal("succeeded")
        case .failed(let failure):
            writer.literal("failed")
            writer.member("failure", failure)
        }
        if leaseNext > 0 { writer.member("lease_next", leaseNext) }
    }

    static func release(
        _ id: Int64, token: Int64, delayMs: Int64?, leaseNext: Int64,
        into writer: inout JSONWriter
    ) {
        writer.member("id", id)
        writer.member("token", token)
        writer.member("delay_ms", delayMs)
        if leaseNext > 0 { writer.member("lease_next", leaseNext) }
    }
}
