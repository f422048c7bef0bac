import JSON
package import RetryClient
import RetryModel
import SystemKit

/// Files that options name; "-" is standard input.
package enum InputFile {
    package static func read(_ path: String, bytesMax: Int) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            if path == "-" {
                return try Files.readAll(0, bytesMax: bytesMax, name: "standard input")
            }
            return try Files.readAll(path, bytesMax: bytesMax)
        } catch {
            if error.isTooLarge {
                throw CommandFailure("\(error.operation): more than \(bytesMax) bytes", .badInput)
            }
            throw CommandFailure("\(error)", error.isNotFound ? .notFound : .inputOutput)
        }
    }

    /// Checks that a text is a JSON object, within the bounds of a failure document or message.
    ///
    /// - Parameter depthMax: Nested objects and arrays; the daemon closes the connection of whoever
    ///   sends deeper ones.
    package static func jsonObject(
        _ text: [UInt8], named name: String, depthMax: Int = Limits.messageDepthMax
    ) throws(CommandFailure) -> RawJSON {
        let parser = JSONParser(lengthMax: Limits.messageBytesMax, depthMax: depthMax)
        // A value lives as long as its parser.
        defer { withExtendedLifetime(parser) {} }
        do throws(JSONError) {
            let value = try parser.parse(text)
            guard value.kind == .object else {
                throw JSONError(message: "an object is needed, {…}")
            }
            return RawJSON(value)
        } catch {
            throw CommandFailure("\(name): \(error.message)", .badInput)
        }
    }
}
