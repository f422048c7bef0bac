package import JSON

/// What a person is told about a failure, and may choose.
public struct ToldMessages: Hashable, Sendable {
    /// A choice and what follows from it.
    public struct Option: Hashable, Sendable {
        /// What `recover` takes.
        public var name: String
        public var label: String
        /// `retry`, `cancel` or `sign-in`.
        public var effect: String
    }

    /// The language it is in.
    public var language: String
    public var title: String
    public var description: String?
    public var suggestion: String?
    /// In the order of display.
    public var options: [Option]

    package init(_ value: JSONValue) throws(ClientError) {
        language = try value.requiredString("language")
        title = try value.requiredString("title")
        description = try value.optionalString("description")
        suggestion = try value.optionalString("suggestion")
        options = try value.list("options") { (option) throws(ClientError) in
            Option(
                name: try option.requiredString("name"), label: try option.requiredString("label"),
                effect: try option.requiredString("effect"))
        }
    }
}

/// The answer to Recover.
public struct Recovered: Hashable, Sendable {
    public var id: Int64
    public var state: String
    /// `retried` or `cancelled`; nil: no option was taken.
    public var outcome: String?
    public var messages: ToldMessages

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        state = try value.requiredString("state")
        outcome = try value.optionalString("outcome")
        messages = try ToldMessages(value.requiredObject("messages"))
    }
}

/// What the owner of a parked operation brings.
public struct Resolution: Hashable, Sendable {
    /// In place of the present payload; `.none` leaves that.
    public var payload = OperationDraft.Payload.none
    /// What the owner's own try at the new flow failed with; nil: it was not tried.
    public var failure: RawJSON?

    public init() {}
}

/// The answer to Resolve.
public struct Resolved: Hashable, Sendable {
    public var id: Int64
    public var state: String
    /// On the failure that was told.
    public var decision: ToldDecision?
    public var dueUsec: Int64?

    package init(_ value: JSONValue) throws(ClientError) {
        id = try value.requiredInteger("id")
        state = try value.requiredString("state")
        decision = try ToldDecision.optional("decision", in: value)
        dueUsec = try value.optionalInteger("due_usec")
    }
}

extension RetryClient {
    /// Tells what a person may do about an operation, and takes an option.
    ///
    /// - Parameters:
    ///   - option: its name; nil: they are only told.
    ///   - language: a tag as `de-AT`, or as in `LANG`.
    public func recover(
        _ id: Int64, option: String? = nil, language: String? = nil
    ) throws(ClientError) -> Recovered {
        try Recovered(recoverRaw(id, option: option, language: language))
    }

    package func recoverRaw(
        _ id: Int64, option: String?, language: String?
    ) throws(ClientError) -> JSONValue {
        // What an option does twice is not what it does once.
        try answer("io.retryd.Recover", isRepeatable: option == nil) { writer in
            writer.member("id", id)
            writer.member("option", option)
            writer.member("language", language)
        }
    }

    /// Brings what a parked operation lacked: it is scheduled again, with its id and key.
    public func resolve(
        _ id: Int64, _ resolution: Resolution = Resolution()
    ) throws(ClientError) -> Resolved {
        try Resolved(resolveRaw(id, resolution))
    }

    package func resolveRaw(
        _ id: Int64, _ resolution: Resolution
    ) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Resolve", isRepeatable: false) { writer in
            writer.member("id", id)
            resolution.payload.write(into: &writer)
            writer.member("failure", resolution.failure)
        }
    }
}
