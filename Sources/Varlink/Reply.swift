package import JSON

/// Why a message is not a reply. The service does not speak the protocol: the connection must be
/// closed.
@frozen
package enum ReplyError: Error, Equatable, Sendable {
    case notAnObject
    case parametersNotAnObject
    case errorNotAString
    case continuesNotABoolean
    /// An error that says that more will come.
    case errorContinues
    case unknownMember(String)
}

extension ReplyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnObject: "a reply must be a JSON object"
        case .parametersNotAnObject: "\"parameters\" must be an object"
        case .errorNotAString: "\"error\" must be a string"
        case .continuesNotABoolean: "\"continues\" must be true or false"
        case .errorContinues: "an error can't continue"
        case .unknownMember(let name): "a reply has no member \"\(name)\""
        }
    }
}

/// A reply as it came from a service: views on the parsed message, nothing copied.
package struct Reply {
    /// An object; nil where it is absent or null, which means the same as `{}`.
    package let parameters: JSONValue?
    /// The error's name with its interface; nil: the call succeeded.
    package let error: JSONText?
    /// Further replies to the same call follow.
    package let continues: Bool

    package init(_ message: JSONValue) throws(ReplyError) {
        guard let members = message.members else { throw .notAnObject }
        var parameters: JSONValue?
        var error: JSONText?
        var continues = false
        for member in members {
            switch member.name {
            case "parameters":
                guard member.value.kind == .object || member.value.isNull else {
                    throw .parametersNotAnObject
                }
                parameters = member.value.isNull ? nil : member.value
            case "error":
                guard member.value.text != nil || member.value.isNull else {
                    throw .errorNotAString
                }
                error = member.value.text
            case "continues":
                guard member.value.bool != nil || member.value.isNull else {
                    throw .continuesNotABoolean
                }
                continues = member.value.bool ?? false
            default:
                guard isVendorName(member.name) else { throw .unknownMember(member.name.string) }
            }
        }
        if error != nil && continues { throw .errorContinues }
        self.parameters = parameters
        self.error = error
        self.continues = continues
    }
}
