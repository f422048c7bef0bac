/// What is taken of the value a fact is read from.
enum FactTake: UInt8, Sendable, CaseIterable {
    /// The value as it is.
    case whole = 0
    /// What follows the last slash: the name of a program.
    case basename = 1
    /// Up to the first space: the code of a Redis error.
    case firstWord = 2
    /// What follows the last `.` or `$`: a class without its package, a D-Bus error's own name.
    case lastLabel = 3
    /// An AWS error name without namespace and documentation address.
    case awsName = 4
    /// The host of a URL.
    case host = 5
    /// The parameter `error` of a `WWW-Authenticate` field (RFC 6750 section 3, RFC 9449).
    case challengeError = 6
    /// The HTTP status that a tool wrote into its message.
    case statusInText = 7
    /// The name of an error number on its platform.
    case errnoName = 8
    /// The name of a getaddrinfo number on its platform.
    case addressInfoName = 9
    /// The name of a signal, from its number or a shorter spelling.
    case signalName = 10
    /// The delay of a `google.rpc.RetryInfo` in a list of details.
    case retryInfo = 11

    var name: String {
        switch self {
        case .whole: "whole"
        case .basename: "basename"
        case .firstWord: "first-word"
        case .lastLabel: "last-label"
        case .awsName: "aws-name"
        case .host: "host"
        case .challengeError: "challenge-error"
        case .statusInText: "status-in-text"
        case .errnoName: "errno-name"
        case .addressInfoName: "address-info-name"
        case .signalName: "signal-name"
        case .retryInfo: "retry-info"
        }
    }
}

/// Whose numbers an error number is one of.
enum Platform: UInt8, Sendable, CaseIterable {
    case linux = 0
    case darwin = 1

    var name: String {
        switch self {
        case .linux: "linux"
        case .darwin: "darwin"
        }
    }
}
