package import JSON

extension RetryClient {
    /// Hands over a failed operation. When this returns it is on disk.
    ///
    /// - Parameters:
    ///   - failure: the failure document, a JSON object.
    ///   - isRepeatable: a second Submit cannot make a second operation. True where a key or the
    ///     failure's event_id tells the two from each other.
    public func submit(
        _ operation: OperationDraft, failure: RawJSON?, isRepeatable: Bool? = nil,
        options: CallOptions? = nil
    ) throws(ClientError) -> Submitted {
        try Submitted(submitRaw(operation, failure: failure, isRepeatable, options: options))
    }

    /// As `submit`, with the answer as the daemon gave it.
    package func submitRaw(
        _ operation: OperationDraft, failure: RawJSON?, _ isRepeatable: Bool? = nil,
        options: CallOptions? = nil
    ) throws(ClientError) -> JSONValue {
        try answer(
            "io.retryd.Submit", isRepeatable: isRepeatable ?? (operation.key != nil), options
        ) { writer in
            writer.name("operation")
            operation.write(into: &writer)
            writer.member("failure", failure)
        }
    }

    // MARK: Looking

    public func get(_ id: Int64) throws(ClientError) -> OperationDetails {
        try OperationDetails(getRaw(id))
    }

    package func getRaw(_ id: Int64) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Get", isRepeatable: true) { $0.member("id", id) }
    }

    /// A page of the operations the caller may see, by id.
    ///
    /// - Parameters:
    ///   - limit: at most that many.
    ///   - cursor: goes on where the answer that gave it ended.
    public func list(
        _ filter: OperationFilter = OperationFilter(), limit: Int64? = nil, cursor: Int64? = nil
    ) throws(ClientError) -> OperationPage {
        try OperationPage(
            answer("io.retryd.List", isRepeatable: true) { writer in
                RetryClient.writeList(filter, limit: limit, cursor: cursor, into: &writer)
            })
    }

    /// All pages, one after the other.
    public func listStream(
        _ filter: OperationFilter = OperationFilter(), limit: Int64? = nil
    ) throws(ClientError) -> ReplyStream {
        try stream("io.retryd.List") { writer in
            RetryClient.writeList(filter, limit: limit, cursor: nil, into: &writer)
        }
    }

    private static func writeList(
        _ filter: OperationFilter, limit: Int64?, cursor: Int64?, into writer: inout JSONWriter
    ) {
        writer.member("filter", filter)
        writer.member("limit", limit)
        writer.member("cursor", cursor)
    }

    public func why(_ id: Int64) throws(ClientError) -> WhyAnswer {
        try WhyAnswer(whyRaw(id))
    }

    package func whyRaw(_ id: Int64) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Why", isRepeatable: true) { $0.member("id", id) }
    }

    /// The attempts of an operation, oldest first.
    public func history(_ id: Int64) throws(ClientError) -> [ToldAttempt] {
        try ToldAttempt.list(in: historyRaw(id))
    }

    package func historyRaw(_ id: Int64) throws(ClientError) -> JSONValue {
        try answer("io.retryd.History", isRepeatable: true) { $0.member("id", id) }
    }

    /// Who watches.
    public enum WatchRole: String, Sendable, CaseIterable {
        /// Told everything.
        case audit
        /// Told what somebody must act on; of several that ask for the same, one at a time.
        case handler
    }

    /// First the present state of every live operation the caller may see, then each change.
    public func watch(
        _ filter: OperationFilter = OperationFilter(), role: WatchRole = .audit,
        options: CallOptions? = nil
    ) throws(ClientError) -> ReplyStream {
        try stream("io.retryd.Watch", options: options) { writer in
            writer.member("filter", filter)
            if role != .audit { writer.member("role", role.rawValue) }
        }
    }

    // MARK: Acting

    /// Ends operations.
    /// - Returns: how many.
    public func cancel(_ selection: OperationSelection) throws(ClientError) -> Int64 {
        try answer("io.retryd.Cancel", isRepeatable: true) { writer in
            selection.write(into: &writer)
        }.requiredInteger("count")
    }

    /// Tries again now: skips the back-off, unparks, revives with fresh limits.
    ///
    /// - Parameter reclassify: decides the newest failure anew by the rules in force.
    /// - Returns: how many.
    public func retry(
        _ selection: OperationSelection, reclassify: Bool = false
    ) throws(ClientError) -> Int64 {
        try answer("io.retryd.Retry", isRepeatable: true) { writer in
            selection.write(into: &writer)
            if reclassify { writer.member("reclassify", true) }
        }.requiredInteger("count")
    }

    /// A call whose answer must have parameters.
    func answer(
        _ method: StaticString, isRepeatable: Bool, _ options: CallOptions? = nil,
        parameters: (inout JSONWriter) -> Void = { _ in }
    ) throws(ClientError) -> JSONValue {
        let answer = try call(
            method, isRepeatable: isRepeatable, options: options, parameters: parameters)
        guard let answer else { throw ClientError(misunderstanding: "it has no parameters") }
        return answer
    }
}

/// A page of List.
public struct OperationPage: Hashable, Sendable {
    public var operations: [OperationSummary]
    /// For the next page; nil: this is the last.
    public var cursor: Int64?
    /// Only the caller's own operations are shown.
    public var isOwnOnly: Bool

    package init(_ value: JSONValue) throws(ClientError) {
        operations = try value.list("operations", OperationSummary.init)
        cursor = try value.optionalInteger("cursor")
        isOwnOnly = try value.requiredBool("own")
    }
}

extension JSONWriter {
    /// A filter that filters something.
    mutating func member(_ name: StaticString, _ filter: OperationFilter) {
        if filter.isEmpty { return }
        self.name(name)
        filter.write(into: &self)
    }
}
