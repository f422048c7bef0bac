import JSON

/// Reads members of an answer. One that is missing or of another kind than the interface says is
/// an error; members this side does not know are left alone (UAPI.20, "Unknown Fields").
extension JSONValue {
    func requiredString(_ name: StaticString) throws(ClientError) -> String {
        guard let value = self[name]?.string else { throw malformed(name, "a string") }
        return value
    }

    func requiredInteger(_ name: StaticString) throws(ClientError) -> Int64 {
        guard let value = self[name]?.integer else { throw malformed(name, "an integer") }
        return value
    }

    func requiredBool(_ name: StaticString) throws(ClientError) -> Bool {
        guard let value = self[name]?.bool else { throw malformed(name, "true or false") }
        return value
    }

    func optionalString(_ name: StaticString) throws(ClientError) -> String? {
        guard let member = optional(name) else { return nil }
        guard let value = member.string else { throw malformed(name, "a string") }
        return value
    }

    func optionalInteger(_ name: StaticString) throws(ClientError) -> Int64? {
        guard let member = optional(name) else { return nil }
        guard let value = member.integer else { throw malformed(name, "an integer") }
        return value
    }

    func optionalDouble(_ name: StaticString) throws(ClientError) -> Double? {
        guard let member = optional(name) else { return nil }
        guard let value = member.double else { throw malformed(name, "a number") }
        return value
    }

    func optionalBool(_ name: StaticString) throws(ClientError) -> Bool? {
        guard let member = optional(name) else { return nil }
        guard let value = member.bool else { throw malformed(name, "true or false") }
        return value
    }

    /// A member that is there and not null.
    func optional(_ name: StaticString) -> JSONValue? {
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }

    func requiredObject(_ name: StaticString) throws(ClientError) -> JSONValue {
        guard let member = self[name], member.kind == .object else {
            throw malformed(name, "an object")
        }
        return member
    }

    func optionalRaw(_ name: StaticString) -> RawJSON? {
        optional(name).map { RawJSON($0) }
    }

    func list<Element>(
        _ name: StaticString, _ read: (JSONValue) throws(ClientError) -> Element
    ) throws(ClientError) -> [Element] {
        guard let elements = self[name]?.elements else { throw malformed(name, "an array") }
        var list: [Element] = []
        for element in elements { list.append(try read(element)) }
        return list
    }

    func strings(_ name: StaticString) throws(ClientError) -> [String] {
        try list(name) { (element) throws(ClientError) in
            guard let string = element.string else { throw malformed(name, "an array of strings") }
            return string
        }
    }

    private func malformed(_ name: StaticString, _ kind: String) -> ClientError {
        ClientError(
            .malformedReply,
            "an answer of retryd is not understood: \"\(name)\" should be \(kind); are retryd and "
                + "this program of different versions?")
    }
}
