import JSON
import RetryModel

/// Finds the nonce a server sent for the next proof: the header DPoP-Nonce (RFC 9449 sections 8
/// and 9). Whoever makes the next attempt needs it, and must not have to look for it.
final class DPoPNonces {
    private let parser = JSONParser(
        lengthMax: Limits.messageBytesMax, depthMax: Limits.messageDepthMax)

    /// - Parameter document: A failure document as it is stored; may be empty.
    func nonce(in document: UnsafeRawBufferPointer) -> String? {
        // Nearly no failure has one, and every lease asks.
        guard Self.mentionsHeader(document), let failure = try? parser.parse(Array(document)),
            let headers = failure["http"]?["headers"]
        else { return nil }
        if let members = headers.members {
            for member in members where Self.isHeader(member.name) {
                return Self.value(member.value)
            }
        }
        guard let elements = headers.elements else { return nil }
        for element in elements {
            // ["name", "value"] or {"name": …, "value": …}.
            let pair = element.elements.map(Array.init) ?? []
            let name = element["name"] ?? pair.first
            let value = element["value"] ?? (pair.count == 2 ? pair[1] : nil)
            if let name = name?.text, Self.isHeader(name) { return value.flatMap(Self.value) }
        }
        return nil
    }

    /// A header that came twice is a list: the last one counts.
    private static func value(_ value: JSONValue) -> String? {
        value.string ?? value.elements.map(Array.init)?.last?.string
    }

    private static let header: StaticString = "dpop-nonce"

    private static func isHeader(_ name: JSONText) -> Bool {
        name.count == header.utf8CodeUnitCount
            && matches(UnsafeRawBufferPointer(name.bytes), at: 0)
    }

    private static func mentionsHeader(_ document: UnsafeRawBufferPointer) -> Bool {
        let count = header.utf8CodeUnitCount
        guard document.count >= count else { return false }
        for start in 0...document.count - count
        where document[start + 4] == 0x2D && matches(document, at: start) {
            return true
        }
        return false
    }

    /// Whether the name of the header stands there, in any case (RFC 9110 section 5.1).
    private static func matches(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        for index in 0..<header.utf8CodeUnitCount {
            let wanted = header.utf8Start[index]
            let byte = bytes[start + index]
            guard byte == wanted || (byte | 0x20 == wanted && wanted >= 0x61) else { return false }
        }
        return true
    }
}
