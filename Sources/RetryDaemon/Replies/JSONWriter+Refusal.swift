import JSON
import RetryModel
import Varlink

extension JSONWriter {
    /// A whole error reply.
    mutating func failure(_ failure: CallFailure) {
        switch failure {
        case .service(let error): self.error(error)
        case .refused(let refusal, let id): self.refusal(refusal, of: id)
        case .configuration(let error):
            beginError("io.retryd.ConfigurationRefused")
            member("file", error.file)
            member("line", Int64(error.line))
            member("column", Int64(error.column))
            member("reason", error.reason)
            endError()
        case .inconsistentEnvironment:
            beginError("io.systemd.service.InconsistentEnvironment")
            endError()
        }
    }

    /// A whole error reply.
    mutating func refusal(_ refusal: Refusal, of id: OperationID?) {
        switch refusal {
        case .noSuchOperation(let id):
            beginError("io.retryd.NoSuchOperation")
            member("id", id.rawValue)
        case .permissionDenied(let reason):
            beginError("io.retryd.PermissionDenied")
            member("reason", reason)
        case .staleLease(let state):
            beginError("io.retryd.StaleLease")
            member("id", id?.rawValue)
            member("state", word: state.name)
        case .wrongState(let state):
            beginError("io.retryd.WrongState")
            member("id", id?.rawValue)
            member("state", word: state.name)
            member("reason", Self.wrongStateReason(state))
        case .quotaExceeded(let limit):
            beginError("io.retryd.QuotaExceeded")
            member("limit", limit)
            member("reason", Self.quotaReason(limit))
        case .invalidParameter(let name, let reason):
            return error(.invalidParameter(name, reason: reason))
        case .storeUnavailable(let reason):
            beginError("io.retryd.StoreUnavailable")
            member("reason", reason)
        }
        endError()
    }

    private static func wrongStateReason(_ state: OperationState) -> String {
        switch state {
        case .leased: "an attempt runs; wait for its end or cancel it"
        case .succeeded, .cancelled: "it has ended; hand it over again"
        case .scheduled, .held, .ready, .parked, .dead: "it is \(state.name)"
        }
    }

    private static func quotaReason(_ limit: String) -> String {
        switch limit {
        case "operations": "the daemon holds as many operations as it may"
        case "operations-per-user": "you have as many operations as one user may"
        case "bytes-per-user":
            "your operations keep as many bytes as those of one user may; what is given up or has "
                + "ended counts as long as it is kept"
        case "lanes-per-user-max":
            "your operations have as many combinations of queue, destination, credential, scope "
                + "and policy as one user's may"
        case "signals-per-user-max": "you have as many levels that nothing waits for as one may"
        case "pauses-per-user-max": "you have as many pauses as one may"
        case "connections": "the daemon has as many connections as it may; try again"
        case "connections-per-user":
            "your processes have as many connections as those of one user may; close some, or have "
                + "`[limits] connections-per-user` raised"
        default: "the limit \(limit) is reached"
        }
    }
}
