package import JSON

/// Replies, written straight into an output buffer. Each ends with its NUL, so that any number of
/// them can follow each other in one buffer.
extension JSONWriter {
    /// Begins `{"parameters":{…}}`; the caller writes the members.
    package mutating func beginReply() {
        beginObject()
        name("parameters")
        beginObject()
    }

    /// Ends what `beginReply` began.
    /// - Parameter continues: Further replies to the same call follow. Only where the call asked
    ///   for `more`.
    package mutating func endReply(continues: Bool = false) {
        endObject()
        if continues {
            name("continues")
            bool(true)
        }
        endObject()
        endText(terminator: 0)
    }

    /// Begins `{"error":"NAME","parameters":{…}}`; the caller writes the members.
    /// - Parameter name: With its interface, e.g. `io.retryd.StaleLease`.
    package mutating func beginError(_ name: StaticString) {
        beginObject()
        self.name("error")
        literal(name)
        self.name("parameters")
        beginObject()
    }

    /// Ends what `beginError` began. An error ends its call: it never continues.
    package mutating func endError() {
        endObject()
        endObject()
        endText(terminator: 0)
    }

    /// A whole reply with an error that every service knows.
    package mutating func error(_ error: ServiceError) {
        beginError(error.name)
        switch error {
        case .interfaceNotFound(let interface):
            name("interface")
            string(interface)
        case .methodNotFound(let method), .methodNotImplemented(let method):
            name("method")
            string(method)
        case .invalidParameter(let parameter, let reason):
            name("parameter")
            string(parameter)
            name("reason")
            string(reason)
        case .permissionDenied, .expectedMore:
            break
        }
        endError()
    }
}

/// The errors of `org.varlink.service`, which any method of any interface may give.
@frozen
package enum ServiceError: Error, Equatable, Sendable {
    case interfaceNotFound(String)
    case methodNotFound(String)
    case methodNotImplemented(String)
    /// The reason goes beyond the standard's single parameter; clients ignore what they do not
    /// know (UAPI.20, "Unknown Fields"), people read it.
    case invalidParameter(String, reason: String)
    case permissionDenied
    case expectedMore

    package var name: StaticString {
        switch self {
        case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
        case .methodNotFound: "org.varlink.service.MethodNotFound"
        case .methodNotImplemented: "org.varlink.service.MethodNotImplemented"
        case .invalidParameter: "org.varlink.service.InvalidParameter"
        case .permissionDenied: "org.varlink.service.PermissionDenied"
        case .expectedMore: "org.varlink.service.ExpectedMore"
        }
    }
}
