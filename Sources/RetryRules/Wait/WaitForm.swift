/// How a wait is written where a rule looks for one.
enum WaitForm: UInt8, Sendable, CaseIterable {
    /// `Retry-After`: digits, or one of the three HTTP dates (RFC 9110 sections 5.6.7, 10.2.3).
    case secondsOrDate = 0
    /// A number of seconds, fractions allowed.
    case seconds = 1
    /// A whole number of milliseconds.
    case milliseconds = 2
    /// A number of minutes.
    case minutes = 3
    /// When a limit resets: seconds left, a Unix time in seconds or milliseconds (told apart by
    /// size), an HTTP date or an ISO 8601 date.
    case reset = 4
    /// `34.074s` as protobuf writes a duration, `6m0s` as Go does.
    case duration = 5
    /// The field `RateLimit` of later IETF drafts: `"default";r=0;t=50` or
    /// `remaining=0, reset=50`.
    case rateLimit = 6
    /// Graph's `X-Business-Use-Case-Usage`: the longest `estimated_time_to_regain_access`, minutes.
    case usage = 7
    /// The first date, ISO 8601 or HTTP, anywhere in a text.
    case dateInText = 8

    var name: String {
        switch self {
        case .secondsOrDate: "seconds-or-date"
        case .seconds: "seconds"
        case .milliseconds: "milliseconds"
        case .minutes: "minutes"
        case .reset: "reset"
        case .duration: "duration"
        case .rateLimit: "rate-limit"
        case .usage: "usage"
        case .dateInText: "date-in-text"
        }
    }
}
