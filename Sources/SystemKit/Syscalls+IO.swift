import CLinux
import Glibc

extension Syscalls {
    /// read(2) into a buffer that has room.
    @inline(never)
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> IOResult {
        precondition(buffer.count > 0, "read needs room, or the end cannot be told")
        let (value, code) = uninterrupted {
            Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        }
        return try result(value, code, "read")
    }

    /// write(2). On a pipe or socket whose reader is gone it raises SIGPIPE unless that is
    /// ignored; sockets take `send`.
    @inline(never)
    package static func write(
        _ descriptor: Int32, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> IOResult {
        precondition(buffer.count > 0, "there is nothing to write")
        let (value, code) = uninterrupted {
            Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        }
        return try result(value, code, "write")
    }

    /// recv(2) without flags, from a socket.
    @inline(never)
    package static func receive(
        _ socket: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> IOResult {
        precondition(buffer.count > 0, "receive needs room, or the end cannot be told")
        let (value, code) = uninterrupted {
            recv(socket, buffer.baseAddress, buffer.count, 0)
        }
        return try result(value, code, "receive")
    }

    /// send(2) with MSG_NOSIGNAL: a peer that is gone is EPIPE, never a signal.
    @inline(never)
    package static func send(
        _ socket: Int32, from buffer: UnsafeRawBufferPointer
    ) throws(SystemError) -> IOResult {
        precondition(buffer.count > 0, "there is nothing to send")
        let (value, code) = uninterrupted {
            Glibc.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        }
        return try result(value, code, "send")
    }

    @inline(__always)
    private static func result(
        _ value: Int, _ code: Int32, _ operation: String
    ) throws(SystemError) -> IOResult {
        if value > 0 { return .count(value) }
        if value == 0 { return .end }
        if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
        throw failure(code, operation)
    }

    /// Waits until a descriptor is ready, by poll(2). An error or a hang-up counts as ready: the
    /// next call on the descriptor tells which.
    ///
    /// - Parameter timeoutMs: nil waits for ever.
    /// - Returns: whether it became ready in time.
    package static func wait(
        for descriptor: Int32, _ events: IOEvents, timeoutMs: Int64?
    ) throws(SystemError) -> Bool {
        let deadlineUsec = timeoutMs.map { Clocks.monotonicUsec() + $0 * 1_000 }
        // poll(2) takes the same bits as epoll for these events.
        var entry = pollfd(
            fd: descriptor, events: Int16(truncatingIfNeeded: events.rawValue), revents: 0)
        while true {
            let timeout = pollTimeout(until: deadlineUsec)
            let count = poll(&entry, 1, timeout)
            let code = errno
            if count > 0 {
                precondition(entry.revents & Int16(POLLNVAL) == 0, "poll: not an open descriptor")
                return true
            }
            if count < 0, code != EINTR { throw failure(code, "poll") }
            if let deadlineUsec, Clocks.monotonicUsec() >= deadlineUsec { return false }
        }
    }

    /// Whether the peer of a socket is gone: both directions are closed, or there is an error. One
    /// that only sends no more still takes answers.
    package static func isHungUp(_ socket: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        // An error of poll itself says nothing about the peer.
        return poll(&entry, 1, 0) > 0
    }

    /// The milliseconds until a deadline, rounded up so that poll never returns early and spins.
    private static func pollTimeout(until deadlineUsec: Int64?) -> Int32 {
        guard let deadlineUsec else { return -1 }
        let leftUsec = max(0, deadlineUsec - Clocks.monotonicUsec())
        return Int32(clamping: (leftUsec + 999) / 1_000)
    }

    package static func setNonBlocking(
        _ descriptor: Int32, _ nonBlocking: Bool = true
    ) throws(SystemError) {
        let flags = try checked("fcntl F_GETFL") { fcntl(descriptor, F_GETFL) }
        let wanted = nonBlocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
        if wanted == flags { return }
        try checked("fcntl F_SETFL") { fcntl(descriptor, F_SETFL, wanted) }
    }
}

/// A pipe, close-on-exec at both ends.
package struct Pipe: ~Copyable {
    package let reader: OwnedFD
    package let writer: OwnedFD

    package init() throws(SystemError) {
        var reader: Int32 = -1
        var writer: Int32 = -1
        try Syscalls.checked("pipe") { CLinux_pipe(&reader, &writer) }
        self.reader = OwnedFD(adopting: reader)
        self.writer = OwnedFD(adopting: writer)
    }
}
