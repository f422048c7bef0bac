import CLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel noted it when the peer connected.
package struct PeerCredentials: Hashable, Sendable {
    package let user: UInt32
    package let group: UInt32
    /// The peer's process; 0 if it is in a process namespace that this one does not see.
    package let process: Int32
    /// The supplementary groups the peer had. Empty where the kernel does not tell
    /// (SO_PEERGROUPS came with Linux 4.13).
    package let groups: [UInt32]

    package init(user: UInt32, group: UInt32, process: Int32, groups: [UInt32]) {
        self.user = user
        self.group = group
        self.process = process
        self.groups = groups
    }

    /// SO_PEERCRED and SO_PEERGROUPS of a connected socket, unix(7).
    package init(of socket: Int32) throws(SystemError) {
        var peer = CLinux_PeerCredentials()
        try Syscalls.checked("SO_PEERCRED") { CLinux_peer_credentials(socket, &peer) }
        user = peer.user
        group = peer.group
        process = peer.process
        groups = try PeerCredentials.groups(of: socket)
    }

    /// Whether the peer is in a group, by its own or a supplementary one.
    package func isMember(of group: UInt32) -> Bool {
        self.group == group || groups.contains(group)
    }

    private static func groups(of socket: Int32) throws(SystemError) -> [UInt32] {
        var room = 32
        while true {
            var count = room
            var code: Int32 = 0
            let groups = [UInt32](unsafeUninitializedCapacity: room) { buffer, filled in
                let result = Syscalls.uninterrupted {
                    CLinux_peer_groups(socket, buffer.baseAddress, &count)
                }
                code = result.code
                filled = code == 0 ? count : 0
            }
            switch code {
            case 0: return groups
            case ERANGE: room = count
            case ENOPROTOOPT, ENODATA: return []
            default: throw Syscalls.failure(code, "SO_PEERGROUPS")
            }
        }
    }

    /// A descriptor of the peer's process that is readable once the process has ended.
    ///
    /// With SO_PEERPIDFD (Linux 6.5) it is certainly the peer. Without, it is opened by number
    /// and could mean a later process of the same number, if the peer ended in between: compare
    /// `ProcessIdentity.startTicks` where that matters.
    ///
    /// - Returns: nil if the process has ended.
    /// - Throws: ENODATA if the peer's process cannot be named here.
    package static func processDescriptor(of socket: Int32) throws(SystemError) -> OwnedFD? {
        let (descriptor, code) = Syscalls.uninterrupted { CLinux_peer_pidfd(socket) }
        if descriptor >= 0 { return OwnedFD(adopting: descriptor) }
        switch code {
        // The process has been reaped: ESRCH, and EINVAL before Linux 6.15.
        case ESRCH, EINVAL: return nil
        case ENOPROTOOPT, ENODATA: break
        default: throw Syscalls.failure(code, "SO_PEERPIDFD")
        }
        var peer = CLinux_PeerCredentials()
        try Syscalls.checked("SO_PEERCRED") { CLinux_peer_credentials(socket, &peer) }
        guard peer.process > 0 else {
            throw SystemError(code: ENODATA, operation: "open the peer's process")
        }
        return try ProcessIdentity.open(peer.process)
    }
}
