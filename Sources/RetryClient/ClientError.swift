import JSON

/// Why a call did not do what it was asked for.
///
/// `description` says what is concerned, why, and what to do next.
public struct ClientError: Error, Hashable, Sendable {
    /// What happened. Open: the daemon's errors are its own names, with their interface.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    public var code: Code
    public var description: String
    /// What the daemon told with the error; nil where the error did not come from it.
    public var parameters: RawJSON?

    package init(_ code: Code, _ description: String, parameters: RawJSON? = nil) {
        self.code = code
        self.description = description
        self.parameters = parameters
    }
}

extension ClientError: CustomStringConvertible {}

extension ClientError.Code {
    // MARK: This side's own

    /// Nobody listens on the socket.
    public static let notRunning = ClientError.Code(rawValue: "retryd.client.NotRunning")
    /// The socket's mode keeps the caller out.
    public static let socketForbidden = ClientError.Code(rawValue: "retryd.client.SocketForbidden")
    /// The socket can't be connected to for another reason.
    public static let notReachable = ClientError.Code(rawValue: "retryd.client.NotReachable")
    /// The connection ended before the answer. Whether the call was carried out is not known.
    public static let connectionLost = ClientError.Code(rawValue: "retryd.client.ConnectionLost")
    /// No answer in time. Whether the call was carried out is not known.
    public static let timedOut = ClientError.Code(rawValue: "retryd.client.TimedOut")
    /// The peer does not speak as retryd does.
    public static let malformedReply = ClientError.Code(rawValue: "retryd.client.MalformedReply")
    public static let noRuntimeDirectory = ClientError.Code(
        rawValue: "retryd.client.NoRuntimeDirectory")

    // MARK: The daemon's

    public static let noSuchOperation = ClientError.Code(rawValue: "io.retryd.NoSuchOperation")
    public static let permissionDenied = ClientError.Code(rawValue: "io.retryd.PermissionDenied")
    public static let staleLease = ClientError.Code(rawValue: "io.retryd.StaleLease")
    public static let wrongState = ClientError.Code(rawValue: "io.retryd.WrongState")
    public static let quotaExceeded = ClientError.Code(rawValue: "io.retryd.QuotaExceeded")
    public static let storeUnavailable = ClientError.Code(rawValue: "io.retryd.StoreUnavailable")
    public static let configurationRefused = ClientError.Code(
        rawValue: "io.retryd.ConfigurationRefused")
    public static let invalidParameter = ClientError.Code(
        rawValue: "org.varlink.service.InvalidParameter")
    public static let interfaceNotFound = ClientError.Code(
        rawValue: "org.varlink.service.InterfaceNotFound")
    public static let methodNotFound = ClientError.Code(
        rawValue: "org.varlink.service.MethodNotFound")

    /// Whether the daemon told it: its name is one of an interface.
    public var isOfDaemon: Bool { !rawValue.hasPrefix("retryd.client.") }

    /// Whether the daemon was not reached or went away, so that calling again can help.
    public var isDisconnect: Bool {
        self == .notRunning || self == .connectionLost
    }
}

extension ClientError {
    /// An error as the daemon told it.
    init(name: String, parameters: JSONValue?) {
        let code = Code(rawValue: name)
        let raw = parameters.map { RawJSON($0) }
        self.init(
            code, ClientError.describe(code, ErrorParameters(parameters), raw), parameters: raw)
    }

    /// Reads parameters for a sentence; what is missing becomes a question mark.
    private struct ErrorParameters {
        let value: JSONValue?

        init(_ value: JSONValue?) {
            self.value = value
        }

        func text(_ name: StaticString) -> String {
            guard let member = value?[name] else { return "?" }
            return member.string ?? RawJSON(member).string
        }

        var reason: String? { value?["reason"]?.string }
    }

    private static func describe(
        _ code: Code, _ parameters: ErrorParameters, _ raw: RawJSON?
    ) -> String {
        switch code {
        case .noSuchOperation:
            return "operation \(parameters.text("id")): there is none, or none that you may see; "
                + "\"retryctl list\" shows yours"
        case .permissionDenied:
            return "not permitted: \(parameters.reason ?? "the daemon gave no reason")"
        case .staleLease:
            return "operation \(parameters.text("id")): this attempt is no longer the newest one, "
                + "the operation is \(parameters.text("state")); stop the attempt"
        case .wrongState:
            return "operation \(parameters.text("id")) is \(parameters.text("state")): "
                + (parameters.reason ?? "that does not fit its state")
        case .quotaExceeded:
            return "limit \(parameters.text("limit")) reached: "
                + (parameters.reason ?? "end operations or ask the administrator to raise it")
        case .storeUnavailable:
            return "the store can't be written, nothing was done: \(parameters.text("reason")); "
                + "try again when \"retryctl status\" says that it is back"
        case .configurationRefused:
            // Line 0: it is about the whole file.
            let line = parameters.text("line")
            let place = line == "0" ? "" : ":\(line):\(parameters.text("column"))"
            return "\(parameters.text("file"))\(place): \(parameters.text("reason")); "
                + "what was in force stays"
        case .invalidParameter:
            return "parameter \"\(parameters.text("parameter"))\": "
                + (parameters.reason ?? "missing, unknown, of the wrong type or out of range")
        case .interfaceNotFound:
            return "the service has no interface \(parameters.text("interface"))"
        case .methodNotFound:
            return "the service has no method \(parameters.text("method"))"
        default:
            return raw.map { "\(code.rawValue) \($0.string)" } ?? code.rawValue
        }
    }
}
