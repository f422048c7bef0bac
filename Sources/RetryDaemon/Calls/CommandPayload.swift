import JSON
import Varlink

/// The payload of kind `command`: looked at when it is handed over, so that a mistake is told to
/// the one who made it and not to the journal hours later. docs/PROTOCOL.md has its members.
enum CommandPayload {
    /// Arguments and environment together; half of what Linux takes on a small stack (execve(2)).
    static let wordsBytesMax = 128 * 1024

    static func check(_ payload: JSONValue?) throws(ServiceError) {
        guard let members = payload?.members else {
            throw wrong("a command is an object with `argv`, an array of strings")
        }
        var hasArguments = false
        var wordsBytes = 0
        for member in members {
            switch member.name {
            case "argv":
                wordsBytes += try checkArguments(member.value)
                hasArguments = true
            case "cwd":
                guard let path = member.value.text, path.bytes.first == UInt8(ascii: "/"),
                    !path.bytes.contains(0)
                else { throw wrong("`cwd` must be an absolute path") }
            case "umask":
                guard let mask = member.value.integer, (0...0o777).contains(mask) else {
                    throw wrong("`umask` must be a whole number from 0 to 511")
                }
            case "env": wordsBytes += try checkEnvironment(member.value)
            case "stdin_base64":
                guard let text = member.value.text, Base64.decode(text.bytes) != nil else {
                    throw wrong("`stdin_base64` is not base64")
                }
            case "timeout_ms":
                guard let timeout = member.value.integer, timeout > 0 else {
                    throw wrong("`timeout_ms` must be a whole number above 0")
                }
            case "program":
                guard member.value.text != nil else { throw wrong("`program` must be a string") }
            case "retry_on": try checkExitCodes(member.value)
            case "when_foreground":
                guard member.value.bool != nil else {
                    throw wrong("`when_foreground` must be true or false")
                }
            default:
                throw wrong("a command has no member `\(member.name.string)`")
            }
        }
        guard hasArguments else { throw wrong("`argv` is missing") }
        guard wordsBytes <= wordsBytesMax else {
            throw wrong("arguments and environment are longer than \(wordsBytesMax) bytes")
        }
    }

    private static func checkArguments(_ value: JSONValue) throws(ServiceError) -> Int {
        guard let elements = value.elements else {
            throw wrong("`argv` must be an array of strings, not a line for a shell")
        }
        var bytes = 0
        var count = 0
        for element in elements {
            guard let text = element.text, !text.bytes.contains(0) else {
                throw wrong("`argv` must be an array of strings without NUL")
            }
            if count == 0, text.count == 0 { throw wrong("the program's name is empty") }
            bytes += text.count + 1
            count += 1
        }
        guard count > 0 else { throw wrong("`argv` is empty") }
        return bytes
    }

    private static func checkEnvironment(_ value: JSONValue) throws(ServiceError) -> Int {
        guard let members = value.members else {
            throw wrong("`env` must be an object of strings")
        }
        var bytes = 0
        for member in members {
            guard let text = member.value.text, !text.bytes.contains(0), member.name.count > 0,
                !member.name.bytes.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") })
            else { throw wrong("`env` must be an object of strings without NUL, names without =") }
            bytes += member.name.count + text.count + 2
        }
        return bytes
    }

    private static func checkExitCodes(_ value: JSONValue) throws(ServiceError) {
        guard let elements = value.elements else {
            throw wrong("`retry_on` must be an array of exit codes")
        }
        for element in elements {
            guard let code = element.integer, (1...255).contains(code) else {
                throw wrong("`retry_on` must be exit codes from 1 to 255")
            }
        }
    }

    private static func wrong(_ reason: String) -> ServiceError {
        .invalidParameter("payload", reason: reason)
    }
}
