import RetryClient
import SystemKit

/// What a command that may be run several times reads on standard input.
enum StandardInput {
    /// The terminal or /dev/null: later attempts have /dev/null.
    case inherited
    case null
    /// Every attempt reads the same bytes.
    case spooled([UInt8])

    /// What is kept of it. A payload has 256 KiB; base64 takes a third, and the rest is for
    /// arguments and environment.
    static let bytesMax = 176 * 1024

    /// - Parameter mode: `spool` or `null`; nil: inherits a terminal and /dev/null, else spools.
    static func prepare(_ mode: String?) throws(CommandFailure) -> StandardInput {
        if mode == "null" { return .null }
        do throws(SystemError) {
            if mode == nil {
                if Terminal.isTerminal(0) { return .inherited }
                let input = try Files.status(of: 0)
                let null = try Files.status("/dev/null")
                if input.device == null?.device, input.inode == null?.inode { return .inherited }
            }
            return .spooled(try Files.readAll(0, bytesMax: bytesMax, name: "standard input"))
        } catch {
            if error.isTooLarge {
                throw CommandFailure(
                    "standard input has more than the \(bytesMax / 1_024) KiB that can be kept for "
                        + "later attempts, so nothing was run; let the command read a file, or "
                        + "give --stdin=null if it needs no input", .usage)
            }
            throw CommandFailure("\(error)", .inputOutput)
        }
    }

    /// For the payload of the operation.
    var kept: [UInt8]? {
        switch self {
        case .inherited, .null: nil
        case .spooled(let bytes): bytes.isEmpty ? nil : bytes
        }
    }
}
