import CLinux
import Glibc

/// A call to the kernel or glibc that failed for a reason the program must live with.
///
/// `description` reads "open /x/y: Permission denied".
package struct SystemError: Error, Hashable, Sendable {
    /// errno as the call left it (errno(3)).
    package let code: Int32
    /// What was done to what: "open /x/y".
    package let operation: String

    package init(code: Int32, operation: String) {
        self.code = code
        self.operation = operation
    }

    /// The reason alone: "Permission denied".
    package var reason: String {
        SystemError.reason(code)
    }

    /// What errno(3) says about a code, by strerror_r(3).
    package static func reason(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // An unknown code leaves "Unknown error N" in the buffer, which is what we want.
            guard let text = buffer.baseAddress, strerror_r(code, text, buffer.count) != ERANGE
            else { return "error \(code)" }
            return String(cString: text)
        }
    }
}

extension SystemError {
    /// "ENOENT" for 2; nil for a number that has no name.
    package static func name(ofCode code: Int32) -> String? {
        CLinux_errno_name(code).map { String(cString: $0) }
    }
}

extension SystemError: CustomStringConvertible {
    package var description: String { "\(operation): \(reason)" }
}

extension SystemError {
    package var isNotFound: Bool { code == ENOENT }
    package var isPermission: Bool { code == EACCES || code == EPERM }
    /// The file system is full, or the user's share of it.
    package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT }
    package var isReadOnly: Bool { code == EROFS }
    /// See `Files.readRegular`.
    package var isNotRegular: Bool { code == SystemError.notRegular }
    package var isTooLarge: Bool { code == EFBIG }
    /// The peer went away: what a write to or a read from a closed connection reports.
    package var isDisconnect: Bool { code == EPIPE || code == ECONNRESET }
}

extension SystemError {
    /// Codes that tell a caller of `UnixSocket.connect` what to advise.
    package static var notFound: Int32 { ENOENT }
    package static var refused: Int32 { ECONNREFUSED }
    package static var accessDenied: Int32 { EACCES }
    package static var noSuchProcess: Int32 { ESRCH }
    /// A pipe, socket or device where a file is needed.
    package static var notRegular: Int32 { ENOTSUP }
}
