import CLinux
import Glibc

/// Tells when routes or links of the host change (rtnetlink(7)).
package struct RouteWatch: ~Copyable {
    private let descriptor: OwnedFD

    package init() throws(SystemError) {
        descriptor = OwnedFD(
            adopting: try Syscalls.checked("watch the host's routes") { CLinux_route_watch() })
    }

    /// Readable after a change, until it is drained.
    package var fileDescriptor: Int32 { descriptor.rawValue }

    /// Forgets what has been told so far. Whoever wants to know more asks `hasDefaultRoute`: the
    /// kernel drops messages when too many wait, and says so once (ENOBUFS).
    package func drain() throws(SystemError) {
        try withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 8) {
            (buffer) throws(SystemError) in
            while true {
                let (count, code) = Syscalls.uninterrupted {
                    read(descriptor.rawValue, buffer.baseAddress, buffer.count)
                }
                if count > 0 || code == ENOBUFS { continue }
                if code == EAGAIN { return }
                throw Syscalls.failure(code, "watch the host's routes")
            }
        }
    }

    /// Whether the host has a way to the rest of the world, by IPv4 or IPv6. It asks the kernel
    /// where a packet to an address nobody has would go; nothing is sent.
    package static func hasDefaultRoute() throws(SystemError) -> Bool {
        for isIPv6 in [false, true] {
            let answer = try Syscalls.checked("ask for the default route") {
                CLinux_has_default_route(isIPv6)
            }
            if answer == 1 { return true }
        }
        return false
    }
}
