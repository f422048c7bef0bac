import JSON
import RetryExplain
import RetryModel
import Varlink

/// The words of Classify and Explain. Views on the call: valid as long as it.
struct ExplainParameters {
    var failure: JSONValue
    var circumstances: Circumstances
    var credential: String?
    var scope: String?
    /// Nil: no texts for people.
    var language: String?

    /// - Parameters:
    ///   - takesLanguage: Explain does.
    ///   - now: The moment where the call names none.
    init(_ call: Call, takesLanguage: Bool, now: WallTime) throws(ServiceError) {
        var failure: JSONValue?
        circumstances = Circumstances(now: now)
        for member in call.members {
            switch member.name {
            // Whatever it is: that a document is no object is a thing to be told about it.
            case "failure": failure = member.value
            case "attempt":
                circumstances.attempt = UInt16(
                    try Decode.integer(member, 1...Int64(UInt16.max)) ?? 1)
            case "policy": circumstances.policy = try Decode.name(member)
            case "unknown":
                let unknown = try Decode.word(member, OperationParameters.Unknown.self) { $0.name }
                circumstances.retriesUnknown = unknown == .retry
            case "idempotent": circumstances.isIdempotent = try Decode.bool(member)
            case "credential": credential = try Decode.name(member)
            case "scope": scope = try Decode.name(member)
            case "at_usec": circumstances.now = try Decode.wallTime(member) ?? now
            case "language" where takesLanguage: language = try Decode.name(member)
            default: throw Decode.unknown(member)
            }
        }
        guard let failure else { throw Decode.missing("failure") }
        self.failure = failure
        circumstances.hasCredential = credential != nil
    }
}
