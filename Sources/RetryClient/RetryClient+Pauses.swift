package import JSON

extension RetryClient {
    /// What is paused: that which fits all members given.
    public struct PauseTarget: Hashable, Sendable {
        public var queue: String?
        public var destination: String?
        public var credential: String?
        /// Whose operations; nil: for an admin everybody's, for others their own.
        public var ownerID: Int64?
        /// Must be said where nothing else is.
        public var isAll = false

        public init() {}

        func write(to writer: inout JSONWriter) {
            writer.member("queue", queue)
            writer.member("destination", destination)
            writer.member("credential", credential)
            writer.member("owner_uid", ownerID)
            if isAll { writer.member("all", true) }
        }
    }

    /// Stops handing out operations.
    /// - Parameter ttlMs: It ends by itself after that; nil: it does not.
    package func pauseRaw(
        _ target: PauseTarget, reason: String?, ttlMs: Int64?
    ) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Pause", isRepeatable: true) { writer in
            target.write(to: &writer)
            writer.member("reason", reason)
            writer.member("ttl_ms", ttlMs)
        }
    }

    /// Takes back the pause of exactly that.
    package func resumeRaw(_ target: PauseTarget) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Resume", isRepeatable: true) { target.write(to: &$0) }
    }

    package func listPausesRaw() throws(ClientError) -> JSONValue {
        try answer("io.retryd.ListPauses", isRepeatable: true)
    }

    package func listDestinationsRaw() throws(ClientError) -> JSONValue {
        try answer("io.retryd.ListDestinations", isRepeatable: true)
    }
}
