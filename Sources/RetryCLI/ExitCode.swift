package import RetryClient

/// What `retryctl` ends with: fixed numbers that scripts rely on, where there is one after
/// sysexits.h. `run`, `work` and a command's own code are told in their help.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// The daemon refused, or an operation did not end well.
    case failure = 1
    /// The command line is wrong.
    case usage = 64
    /// What was to be read is not what it should be.
    case badInput = 65
    /// No such operation or file.
    case notFound = 66
    /// retryd is not reachable.
    case unavailable = 69
    /// retryd answered what nobody understands.
    case protocolError = 70
    /// Reading or writing failed.
    case inputOutput = 74
    /// Handed over (`run`), or retryd can't at present: try again.
    case temporary = 75
    /// Not permitted.
    case notPermitted = 77
    /// The command was found and can't be run.
    case commandNotRunnable = 126
    case commandNotFound = 127
    /// Ctrl-C.
    case interrupted = 130

    /// What a script should make of it.
    package var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "retryd refused, or the operation did not end well"
        case .usage: "the command line is wrong"
        case .badInput: "an input is not what it should be"
        case .notFound: "no such operation or file"
        case .unavailable: "retryd is not reachable"
        case .protocolError: "an answer of retryd was not understood"
        case .inputOutput: "reading or writing failed"
        case .temporary: "handed over to be tried again, or retryd can't at present"
        case .notPermitted: "not permitted"
        case .commandNotRunnable: "the command can't be run"
        case .commandNotFound: "the command was not found"
        case .interrupted: "interrupted"
        }
    }

    package init(_ code: ClientError.Code) {
        switch code {
        case .notRunning, .notReachable, .connectionLost, .timedOut, .noRuntimeDirectory:
            self = .unavailable
        case .socketForbidden, .permissionDenied: self = .notPermitted
        case .malformedReply: self = .protocolError
        case .noSuchOperation: self = .notFound
        case .storeUnavailable: self = .temporary
        case .invalidParameter: self = .usage
        default: self = .failure
        }
    }
}

/// Ends a command: a sentence for standard error and the exit code.
package struct CommandFailure: Error, Hashable, Sendable {
    package var message: String
    package var code: ExitCode

    package init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }

    package init(_ error: ClientError) {
        self.init(error.description, ExitCode(error.code))
    }
}
