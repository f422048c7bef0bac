package import JSON

/// Writes failure documents without their secrets, for the store and for everybody who reads it.
///
/// The value of a member whose name is secret (`SecretNames`) becomes `[removed]`; booleans and
/// null stay, and so do numbers under a name that ends in `tokens`, which are counts. The same
/// holds for header fields given as pairs, for flags of a command and for secrets inside texts
/// (`SecretScanner`). Everything else, above all OAuth error codes and the DPoP nonce, stays as
/// it is, so that a stored failure is decided like the one that was told.
package enum Redactor {
    package static func write(_ failure: JSONValue, to writer: inout JSONWriter) {
        switch failure.kind {
        case .object: writeObject(failure, to: &writer)
        case .array: writeArray(failure, to: &writer)
        case .string:
            if let text = failure.text { writeText(text.bytes, to: &writer) }
        case .integer, .unsigned, .double, .bool, .null: writer.value(failure)
        }
    }

    private static func writeObject(_ object: JSONValue, to writer: inout JSONWriter) {
        guard let members = object.members else { return }
        writer.beginObject()
        for member in members {
            writer.name(member.name)
            let isValue = member.name == "value" && namesSecret(object)
            if isValue || isSecret(member) {
                remove(member.value, to: &writer)
            } else {
                write(member.value, to: &writer)
            }
        }
        writer.endObject()
    }

    /// `{"name": "Authorization", "value": …}`.
    private static func namesSecret(_ object: JSONValue) -> Bool {
        guard let name = object["name"]?.text else { return false }
        return SecretNames.isSecret(name.bytes)
    }

    private static func isSecret(_ member: JSONValue.Member) -> Bool {
        guard SecretNames.isSecret(member.name.bytes) else { return false }
        switch member.value.kind {
        case .integer, .unsigned, .double:
            let name = member.name.bytes
            return name.count < 6
                || !TextMatch.isEqualIgnoringCase(
                    UnsafeBufferPointer(rebasing: name[(name.count - 6)...]), "tokens")
        case .object, .array, .string, .bool, .null:
            return true
        }
    }

    private static func remove(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .bool, .null: writer.value(value)
        case .object, .array, .string, .integer, .unsigned, .double: writer.literal("[removed]")
        }
    }

    /// Lists may be pairs of a field and its value, or arguments of a command.
    private static func writeArray(_ array: JSONValue, to writer: inout JSONWriter) {
        guard let elements = array.elements else { return }
        var isFirst = true
        var previous: JSONText?
        writer.beginArray()
        for element in elements {
            if let previous, let text = element.text, isSecret(text, behind: previous, isFirst) {
                writer.literal("[removed]")
            } else if let text = element.text, let start = SecretNames.attachedSecret(text.bytes) {
                var clean = Array(text.bytes[..<start])
                clean += "[removed]".utf8
                clean.withUnsafeBufferPointer { writer.string($0) }
            } else {
                write(element, to: &writer)
            }
            isFirst = previous == nil
            previous = element.text
        }
        writer.endArray()
    }

    private static func isSecret(
        _ text: JSONText, behind previous: JSONText, _ isFirst: Bool
    ) -> Bool {
        if SecretNames.isFlag(previous.bytes) { return true }
        if SecretNames.isUserFlag(previous.bytes) { return text.bytes.contains(0x3A) }
        if SecretNames.isCookieFlag(previous.bytes) { return text.bytes.contains(0x3D) }
        return isFirst && SecretNames.isSecret(previous.bytes)
    }

    private static func writeText(
        _ text: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter
    ) {
        var scanner = SecretScanner(text)
        guard var secret = scanner.next() else { return writer.string(text) }
        var clean: [UInt8] = []
        clean.reserveCapacity(text.count)
        var from = 0
        while true {
            clean += text[from..<secret.lowerBound]
            clean += "[removed]".utf8
            from = secret.upperBound
            guard let another = scanner.next() else { break }
            secret = another
        }
        clean += text[from...]
        clean.withUnsafeBufferPointer { bytes in writer.string(bytes) }
    }
}
