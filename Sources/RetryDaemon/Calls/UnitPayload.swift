import JSON
import Varlink

/// The payload of kind `unit`: `{"unit": "backup.service"}`.
enum UnitPayload {
    /// systemd.unit(5): the name with its suffix is at most 255 characters long.
    static let nameBytesMax = 255

    static func check(_ payload: JSONValue?) throws(ServiceError) {
        guard let members = payload?.members else {
            throw wrong("a unit is an object with `unit`, a name such as backup.service")
        }
        var hasUnit = false
        for member in members {
            guard member.name == "unit" else {
                throw wrong("a unit has no member `\(member.name.string)`")
            }
            guard let name = member.value.text, isName(name.bytes) else {
                throw wrong("`unit` must be the name of a unit with its suffix")
            }
            hasUnit = true
        }
        guard hasUnit else { throw wrong("`unit` is missing") }
    }

    /// The characters of a name; which suffixes there are is systemd's to say.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        guard (3...nameBytesMax).contains(bytes.count), bytes.contains(UInt8(ascii: ".")) else {
            return false
        }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case _: ":-_.\\@".utf8.contains(byte)
            }
        }
    }

    private static func wrong(_ reason: String) -> ServiceError {
        .invalidParameter("payload", reason: reason)
    }
}
