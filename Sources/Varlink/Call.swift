package import JSON

/// Why a message is not a call. There is no reply that fits: the connection must be closed
/// (UAPI.20, "Connection Lifecycle").
@frozen
package enum CallError: Error, Equatable, Sendable {
    case notAnObject
    case noMethod
    case methodNotAString
    case parametersNotAnObject
    /// `oneway`, `more` or `upgrade` is neither true nor false.
    case flagNotABoolean(String)
    /// At most one of `oneway`, `more` and `upgrade` may be set.
    case flagsTogether
    /// A member outside the protocol that is not a vendor's either.
    case unknownMember(String)
}

extension CallError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnObject: "a call must be a JSON object"
        case .noMethod: "a call needs a member \"method\""
        case .methodNotAString: "\"method\" must be a string"
        case .parametersNotAnObject: "\"parameters\" must be an object"
        case .flagNotABoolean(let name): "\"\(name)\" must be true or false"
        case .flagsTogether: "at most one of \"oneway\", \"more\" and \"upgrade\" may be set"
        case .unknownMember(let name): "a call has no member \"\(name)\""
        }
    }
}

/// A method call as it came from a client: views on the parsed message, nothing copied.
///
/// Valid as long as the message's `JSONValue`.
package struct Call {
    /// Interface and method, e.g. `io.retryd.Submit`.
    package let method: JSONText
    /// An object; nil where it is absent or null, which means the same as `{}`.
    package let parameters: JSONValue?
    /// The client wants no reply, not even an error.
    package let oneway: Bool
    /// The client takes several replies.
    package let more: Bool
    /// The client wants to leave the protocol with this connection.
    package let upgrade: Bool

    /// Takes a parsed message as a call.
    ///
    /// Unknown members are refused, except those of vendors: their names contain a dot
    /// (UAPI.20, "Vendor Extensions").
    package init(_ message: JSONValue) throws(CallError) {
        guard let members = message.members else { throw .notAnObject }
        var method: JSONText?
        var parameters: JSONValue?
        var oneway = false
        var more = false
        var upgrade = false
        for member in members {
            switch member.name {
            case "method":
                guard let text = member.value.text else { throw .methodNotAString }
                method = text
            case "parameters":
                switch member.value.kind {
                case .object: parameters = member.value
                case .null: parameters = nil
                case .array, .string, .integer, .unsigned, .double, .bool:
                    throw .parametersNotAnObject
                }
            case "oneway": oneway = try Call.flag(member)
            case "more": more = try Call.flag(member)
            case "upgrade": upgrade = try Call.flag(member)
            default:
                guard isVendorName(member.name) else { throw .unknownMember(member.name.string) }
            }
        }
        guard let method else { throw .noMethod }
        if (oneway && more) || (oneway && upgrade) || (more && upgrade) { throw .flagsTogether }
        self.method = method
        self.parameters = parameters
        self.oneway = oneway
        self.more = more
        self.upgrade = upgrade
    }

    /// The name before the last dot, e.g. `io.retryd`; nil where there is no dot.
    package var interface: String? {
        guard let dot = method.bytes.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        return String(decoding: method.bytes[..<dot], as: UTF8.self)
    }

    private static func flag(_ member: JSONValue.Member) throws(CallError) -> Bool {
        if member.value.isNull { return false }
        guard let bool = member.value.bool else {
            throw .flagNotABoolean(member.name.string)
        }
        return bool
    }
}

/// Whether a member of a message's head belongs to a vendor.
func isVendorName(_ name: JSONText) -> Bool {
    name.bytes.contains(UInt8(ascii: "."))
}
