import Glibc

extension UnixSocket {
    /// Makes a socket that listens, non-blocking.
    ///
    /// A socket file that a dead process left behind is replaced. It counts as left behind only
    /// if a connection to it is refused; where somebody answers, `inUse` is thrown.
    ///
    /// - Parameter mode: who may connect, whatever the umask is.
    package static func listen(
        path: String, mode: UInt32, backlog: Int32 = 4_096
    ) throws(UnixSocketError) -> OwnedFD {
        var address = try Address(path)
        let socket = try make(nonBlocking: true)
        if try !bind(socket.rawValue, &address) {
            try removeIfLeftBehind(&address)
            if try !bind(socket.rawValue, &address) { throw .inUse(path: path) }
        }
        do throws(SystemError) {
            // Nobody can connect before listen(2), so the mode is never too wide.
            try Syscalls.checked("chmod \(path)") { chmod(path, mode) }
            try Syscalls.checked("listen on \(path)") { Glibc.listen(socket.rawValue, backlog) }
        } catch {
            unlink(path)
            throw .system(error)
        }
        return socket
    }

    /// - Returns: false if the path is taken.
    static func bind(
        _ socket: Int32, _ address: inout Address
    ) throws(UnixSocketError) -> Bool {
        let code = address.withPointer { pointer, size in
            Syscalls.uninterrupted { Glibc.bind(socket, pointer, size) }.code
        }
        switch code {
        case 0: return true
        case EADDRINUSE: return false
        default: throw .system(SystemError(code: code, operation: "bind \(address.path)"))
        }
    }

    /// Removes a socket file on which nobody listens.
    private static func removeIfLeftBehind(_ address: inout Address) throws(UnixSocketError) {
        let path = address.path
        let status: FileStatus?
        do throws(SystemError) {
            status = try Files.status(path, followLinks: false)
        } catch {
            throw .system(error)
        }
        guard let status else { return }
        guard status.kind == .socket else { throw .notASocket(path: path) }
        // Non-blocking: a living listener with a full queue answers EAGAIN instead of waiting.
        let probe = try make(nonBlocking: true)
        let code = address.withPointer { pointer, size in
            Syscalls.uninterrupted { Glibc.connect(probe.rawValue, pointer, size) }.code
        }
        switch code {
        case ECONNREFUSED: unlink(path)
        case ENOENT: return
        case 0, EAGAIN: throw .inUse(path: path)
        default: throw .system(SystemError(code: code, operation: "connect to \(path)"))
        }
    }
}
