import CLinux
// Both it and Glibc include <sys/socket.h>; an optimised build takes the constants for its own.
import CSystemd
import Glibc

/// Stream sockets in the file system, unix(7). All descriptors are close-on-exec; buffer sizes
/// are left as the system sets them.
package enum UnixSocket {
    /// The most bytes a path can have: sun_path less its closing zero.
    package static let pathBytesMax = 107

    /// Connects, and stays blocking.
    package static func connect(path: String) throws(UnixSocketError) -> OwnedFD {
        var address = try Address(path)
        let socket = try make(nonBlocking: false)
        let code = address.withPointer { pointer, size in
            Syscalls.uninterrupted { Glibc.connect(socket.rawValue, pointer, size) }.code
        }
        // connect(2): a connection that was interrupted is made all the same, and asking again
        // tells so.
        if code != 0, code != EISCONN {
            throw .system(SystemError(code: code, operation: "connect to \(path)"))
        }
        return socket
    }

    /// What a listening socket had.
    package enum Accepted: ~Copyable {
        /// Non-blocking and close-on-exec.
        case connection(OwnedFD)
        case wouldBlock
        /// The process or the system has no descriptor left (EMFILE, ENFILE) or no memory. The
        /// connection stays in the queue, so the listener stays readable: stop watching it until
        /// something was closed.
        case exhausted(SystemError)
    }

    /// Takes the next connection of a listening socket.
    @inline(never)
    package static func accept(_ listener: Int32) throws(SystemError) -> Accepted {
        while true {
            let (socket, code) = Syscalls.uninterrupted { CLinux_accept(listener) }
            if socket >= 0 { return .connection(OwnedFD(adopting: socket)) }
            switch code {
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            // The peer left while it was in the queue; the next one may be there.
            case ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                return .exhausted(SystemError(code: code, operation: "accept"))
            default: throw Syscalls.failure(code, "accept")
            }
        }
    }

    /// A connected pair, blocking.
    package struct Pair: ~Copyable {
        package let left: OwnedFD
        package let right: OwnedFD

        package init() throws(SystemError) {
            var left: Int32 = -1
            var right: Int32 = -1
            try Syscalls.checked("socketpair") { CLinux_socket_pair(&left, &right) }
            self.left = OwnedFD(adopting: left)
            self.right = OwnedFD(adopting: right)
        }
    }
}

/// Why a socket in the file system cannot be listened on or connected to.
package enum UnixSocketError: Error, Hashable, Sendable {
    /// Another process answers on this path.
    case inUse(path: String)
    /// The path is taken by something that is no socket.
    case notASocket(path: String)
    case pathTooLong(path: String)
    case system(SystemError)

    /// errno, where the kernel gave one.
    package var code: Int32? {
        switch self {
        case .system(let error): error.code
        case .inUse, .notASocket, .pathTooLong: nil
        }
    }
}

extension UnixSocketError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inUse(let path):
            "listen on \(path): another process answers there; stop it or choose another path"
        case .notASocket(let path):
            "listen on \(path): a file that is no socket is in the way; remove it"
        case .pathTooLong(let path):
            "socket \(path): a path of \(path.utf8.count) bytes; "
                + "the kernel takes 1 to \(UnixSocket.pathBytesMax)"
        case .system(let error):
            error.description
        }
    }
}

extension UnixSocket {
    /// sockaddr_un with its path filled in.
    struct Address {
        private var address = sockaddr_un()
        let path: String

        init(_ path: String) throws(UnixSocketError) {
            let bytes = path.utf8
            guard (1...pathBytesMax).contains(bytes.count) else {
                throw .pathTooLong(path: path)
            }
            self.path = path
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        }

        mutating func withPointer<Result>(
            _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
        ) -> Result {
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
            }
        }
    }

    static func make(nonBlocking: Bool) throws(UnixSocketError) -> OwnedFD {
        let (socket, code) = Syscalls.uninterrupted { CLinux_socket(nonBlocking) }
        if socket < 0 { throw .system(Syscalls.failure(code, "socket")) }
        return OwnedFD(adopting: socket)
    }
}
