import CLinux

/// What a descriptor is watched for, and what became of it: the bits of epoll_ctl(2).
package struct IOEvents: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
    package static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
    /// The peer will send no more. Told only when asked for.
    package static let peerClosed = IOEvents(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed. Told without being asked for.
    package static let hangUp = IOEvents(rawValue: EPOLLHUP.rawValue)
    /// The descriptor has an error; for the reading end's closing of a pipe too. Told without
    /// being asked for.
    package static let error = IOEvents(rawValue: EPOLLERR.rawValue)
    /// Tell changes, not states: the owner must read or write until it would block.
    package static let edgeTriggered = IOEvents(rawValue: EPOLLET.rawValue)
}
