import CLinux

extension UnixSocket {
    /// Makes a socket that takes datagrams at a path, blocking: the receiving end of sd_notify(3).
    ///
    /// - Throws: `inUse` also when the file was left behind: nobody can be asked whether he reads.
    package static func bindDatagram(path: String) throws(UnixSocketError) -> OwnedFD {
        var address = try Address(path)
        let (socket, code) = Syscalls.uninterrupted { CLinux_datagram_socket() }
        if socket < 0 { throw .system(Syscalls.failure(code, "socket")) }
        let owned = OwnedFD(adopting: socket)
        if try !bind(owned.rawValue, &address) { throw .inUse(path: path) }
        return owned
    }
}
