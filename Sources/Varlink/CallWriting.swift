package import JSON

/// What a client may ask of a call besides its one reply.
@frozen
package enum CallFlag: Sendable {
    case none
    /// Several replies.
    case more
    /// No reply.
    case oneway
}

/// Calls, written straight into an output buffer, each with its NUL.
extension JSONWriter {
    /// Begins `{"method":"NAME","parameters":{…}}`; the caller writes the members.
    /// - Parameter method: With its interface, e.g. `io.retryd.Submit`.
    package mutating func beginCall(_ method: StaticString, _ flag: CallFlag = .none) {
        beginObject()
        name("method")
        literal(method)
        writeFlag(flag)
        name("parameters")
        beginObject()
    }

    /// Ends what `beginCall` began.
    package mutating func endCall() {
        endObject()
        endObject()
        endText(terminator: 0)
    }

    /// A whole call whose method and parameters are known only at run time.
    /// - Parameter parameters: The text of a JSON object; empty: none are sent.
    package mutating func call(
        _ method: String, _ flag: CallFlag = .none, parameters: [UInt8] = []
    ) {
        beginObject()
        name("method")
        string(method)
        writeFlag(flag)
        if !parameters.isEmpty {
            name("parameters")
            raw(parameters)
        }
        endObject()
        endText(terminator: 0)
    }

    private mutating func writeFlag(_ flag: CallFlag) {
        switch flag {
        case .none: return
        case .more: name("more")
        case .oneway: name("oneway")
        }
        bool(true)
    }
}
