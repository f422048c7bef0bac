/// Why a call was not carried out: a condition, told to the caller by name.
///
/// On the wire each is an error of the interface `io.retryd` (docs/PROTOCOL.md).
public enum Refusal: Error, Hashable, Sendable {
    /// No such operation, or none the caller may see.
    case noSuchOperation(OperationID)
    /// The operation is somebody else's, or the act is for admins.
    case permissionDenied(String)
    /// The token is not the newest, or the operation is no longer this attempt's to report on.
    case staleLease(OperationState)
    /// The act does not fit the operation's state.
    case wrongState(OperationState)
    /// A limit on what one user or the whole daemon may hold is reached.
    case quotaExceeded(String)
    /// A parameter is missing, of the wrong type, unknown or out of range.
    case invalidParameter(name: String, reason: String)
    /// The store cannot be written at present.
    case storeUnavailable(String)
}
