import CLinux
import CSystemd
import Glibc

/// A socket that the service manager opened and passed on (socket activation).
package struct ListenFD: Hashable, Sendable {
    /// The receiver owns it: `OwnedFD(adopting:)`.
    package let rawValue: Int32
    /// FileDescriptorName= of the socket unit; "unknown" where none was given.
    package let name: String

    /// Takes the descriptors that were passed, once: later calls find none, and programs this
    /// process starts do not see the variables. They are close-on-exec.
    ///
    /// Call it before any other thread exists: it changes the environment.
    package static func takeAll() throws(SystemError) -> [ListenFD] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        defer { free(names) }
        if count < 0 { throw Syscalls.libraryFailure(count, "take the passed descriptors") }
        return (0..<Int(count)).map { index in
            let name = names?[index]
            defer { free(name) }
            return ListenFD(
                rawValue: SD_LISTEN_FDS_START + Int32(index),
                name: name.map { String(cString: $0) } ?? "unknown")
        }
    }

    /// Whether it is a listening stream socket of the Unix kind; a unit file may name another.
    package var isListeningUnixStream: Bool {
        sd_is_socket_unix(rawValue, CLinux_stream_type(), 1, nil, 0) > 0
    }
}
