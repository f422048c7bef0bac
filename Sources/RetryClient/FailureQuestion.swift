package import JSON

/// What Classify and Explain take besides the failure: the circumstances it is judged under.
public struct FailureQuestion: Hashable, Sendable {
    /// Number of the attempt that failed; nil: the first.
    public var attempt: Int64?
    /// The policy the operation would ask for.
    public var policy: String?
    /// What to make of a failure no rule knows.
    public var unknown: OperationDraft.Unknown?
    /// Whether repeating the operation is safe; nil: not known.
    public var isIdempotent: Bool?
    /// The sign-in the operation would use.
    public var credential: String?
    /// Whose foreground it would wait for; nil: the caller's own.
    public var scope: String?
    /// When it is judged, and was received if it does not say. Microseconds since the epoch; nil:
    /// now.
    public var atUsec: Int64?
    /// Of Explain: a language tag or as in `LANG`; nil: no texts for people.
    public var language: String?

    public init() {}

    func write(_ failure: RawJSON, into writer: inout JSONWriter) {
        writer.member("failure", failure)
        writer.member("attempt", attempt)
        writer.member("policy", policy)
        writer.member("unknown", unknown?.rawValue)
        writer.member("idempotent", isIdempotent)
        writer.member("credential", credential)
        writer.member("scope", scope)
        writer.member("at_usec", atUsec)
    }
}

extension RetryClient {
    /// What a failure means; nothing is stored. Valid until the next call.
    package func classifyRaw(
        _ failure: RawJSON, _ question: FailureQuestion
    ) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Classify", isRepeatable: true) { question.write(failure, into: &$0) }
    }

    /// What a failure means, how that was found and what would follow; nothing is stored. Valid
    /// until the next call.
    package func explainRaw(
        _ failure: RawJSON, _ question: FailureQuestion
    ) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Explain", isRepeatable: true) { writer in
            question.write(failure, into: &writer)
            writer.member("language", question.language)
        }
    }
}
