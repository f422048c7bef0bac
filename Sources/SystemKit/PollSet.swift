import CLinux
import Glibc

/// Which registration in a poll set. The slot is small and reused, so owners can keep what
/// belongs to it in an array; the generation tells one registration of a slot from the next.
package struct PollToken: Hashable, Sendable {
    package let rawValue: UInt64

    @inlinable
    init(slot: UInt32, generation: UInt32) {
        rawValue = UInt64(generation) << 32 | UInt64(slot)
    }

    @inlinable
    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    package var slot: Int { Int(UInt32(truncatingIfNeeded: rawValue)) }

    @inlinable
    var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
}

/// A member of a poll set that is ready, and what for.
package struct PollEvent: Hashable, Sendable {
    package let token: PollToken
    package let events: IOEvents

    @inlinable
    init(token: PollToken, events: IOEvents) {
        self.token = token
        self.events = events
    }
}

/// Many descriptors behind one: an epoll instance whose own descriptor is readable as soon as one
/// of its members is ready, so that it can be a single source of an `EventLoop`.
///
/// One wake-up drains many ready connections instead of one, and its end is the natural end of a
/// turn.
///
/// A batch of events can outlive a member: serving the first may close the connection of the
/// third, and the kernel hands a closed descriptor's number out again at once. Events therefore
/// carry a token and not the descriptor, and `contains` tells whether it still means anybody.
package final class PollSet {
    private let epoll: OwnedFD
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    private let buffer: UnsafeMutableBufferPointer<epoll_event>

    private struct Slot {
        /// Odd while in use.
        var generation: UInt32
        var descriptor: Int32
    }

    /// - Parameter eventsMax: the most events one `wait` can give.
    package init(eventsMax: Int = 256) throws(SystemError) {
        epoll = OwnedFD(adopting: try Syscalls.checked("epoll_create") { CLinux_epoll_create() })
        buffer = .allocate(capacity: eventsMax)
        buffer.initialize(repeating: epoll_event())
    }

    deinit {
        buffer.deallocate()
    }

    /// Readable while a member is ready.
    package var fileDescriptor: Int32 { epoll.rawValue }

    package var count: Int { slots.count - freeSlots.count }

    /// Watches a descriptor that stays its owner's, who removes it before closing it.
    package func add(_ descriptor: Int32, _ interest: IOEvents) throws(SystemError) -> PollToken {
        let slot: UInt32
        if let free = freeSlots.last {
            slot = free
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot(generation: 0, descriptor: -1))
            freeSlots.append(slot)
        }
        let generation = slots[Int(slot)].generation &+ 1
        let token = PollToken(slot: slot, generation: generation)
        try control(EPOLL_CTL_ADD, descriptor, interest, token, "epoll add")
        freeSlots.removeLast()
        slots[Int(slot)] = Slot(generation: generation, descriptor: descriptor)
        return token
    }

    /// Changes what a member is watched for.
    package func modify(_ token: PollToken, _ interest: IOEvents) throws(SystemError) {
        let descriptor = descriptor(of: token)
        try control(EPOLL_CTL_MOD, descriptor, interest, token, "epoll modify")
    }

    /// Ends a registration. Events of it that a `wait` has already given fail `contains`.
    package func remove(_ token: PollToken) {
        let descriptor = descriptor(of: token)
        slots[token.slot] = Slot(generation: token.generation &+ 1, descriptor: -1)
        freeSlots.append(UInt32(token.slot))
        do {
            try control(EPOLL_CTL_DEL, descriptor, [], token, "epoll remove")
        } catch {
            preconditionFailure("\(error): the descriptor was closed before it was removed")
        }
    }

    /// Whether a registration stands. Asked for each event before it is served, because serving
    /// an earlier one of the same batch may have ended it.
    package func contains(_ token: PollToken) -> Bool {
        token.slot < slots.count && slots[token.slot].generation == token.generation
    }

    /// Gives what is ready, at most as many as the set was made for.
    ///
    /// - Parameters:
    ///   - events: replaced by what is ready.
    ///   - max: gives fewer; the rest stays ready.
    ///   - timeoutMs: 0 does not wait, -1 waits for ever.
    package func wait(
        into events: inout [PollEvent], max: Int = .max, timeoutMs: Int32
    ) throws(SystemError) {
        let limit = Int32(clamping: min(max, buffer.count))
        let count = epoll_wait(epoll.rawValue, buffer.baseAddress, limit, timeoutMs)
        let code = errno
        try take(count, code, into: &events)
    }

    /// The same for a wait of less than a millisecond. The system may make it some 50 µs longer
    /// (prctl(2), PR_SET_TIMERSLACK); on a kernel before 5.11 it does not wait.
    package func wait(
        into events: inout [PollEvent], timeoutUsec: Int64
    ) throws(SystemError) {
        let limit = Int32(clamping: buffer.count)
        let count = CLinux_epoll_wait(epoll.rawValue, buffer.baseAddress, limit, timeoutUsec)
        let code = errno
        if count < 0, code == ENOSYS { return try wait(into: &events, timeoutMs: 0) }
        try take(count, code, into: &events)
    }

    @inline(__always)
    private func take(
        _ count: Int32, _ code: Int32, into events: inout [PollEvent]
    ) throws(SystemError) {
        events.removeAll(keepingCapacity: true)
        if count < 0 {
            // An interrupted wait is an empty one: the caller comes back anyway.
            if code == EINTR { return }
            throw Syscalls.failure(code, "epoll_wait")
        }
        for event in buffer.prefix(Int(count)) {
            let token = PollToken(rawValue: event.data.u64)
            events.append(PollEvent(token: token, events: IOEvents(rawValue: event.events)))
        }
    }

    private func descriptor(of token: PollToken) -> Int32 {
        precondition(contains(token), "the registration has ended")
        return slots[token.slot].descriptor
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ interest: IOEvents, _ token: PollToken,
        _ name: String
    ) throws(SystemError) {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = token.rawValue
        try Syscalls.checked(name) { epoll_ctl(epoll.rawValue, operation, descriptor, &event) }
    }
}
