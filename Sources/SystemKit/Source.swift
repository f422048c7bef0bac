import CSystemd
import Glibc

/// One thing a loop watches. It is watched until it is closed or dropped, so the owner keeps it
/// in a property: a local constant can be dropped right after its last use.
///
/// A handler may close its own source. No handler of a source runs after its `close`, not even
/// for an event that the kernel has already reported.
package class Source {
    let loop: EventLoop
    /// Gets the epoll bits; 0 for sources that have none.
    fileprivate var handler: (UInt32) throws -> Void
    fileprivate var pointer: OpaquePointer?

    /// Whether it is watched.
    package enum Mode: Sendable {
        case off
        case on
        /// Off again before the handler is called.
        case once
    }

    fileprivate init(_ loop: EventLoop, _ handler: @escaping (UInt32) throws -> Void) {
        self.loop = loop
        self.handler = handler
    }

    deinit {
        close()
    }

    /// Stops watching. Closing twice does nothing.
    package func close() {
        // Disabling first matters: a reference that sd-event holds during dispatch keeps the
        // source alive, and it must not fire again with this object gone.
        if let pointer { sd_event_source_disable_unref(pointer) }
        pointer = nil
        // What the handler captured often holds this source.
        handler = { _ in }
    }

    package func set(_ mode: Mode) {
        guard let pointer else { preconditionFailure("the source is closed") }
        let enabled =
            switch mode {
            case .off: SD_EVENT_OFF
            case .on: SD_EVENT_ON
            case .once: SD_EVENT_ONESHOT
            }
        Source.must(sd_event_source_set_enabled(pointer, Int32(enabled)), "enable a source")
    }

    /// The one place where a C callback finds its Swift object. The object is alive: its `deinit`
    /// disables the C source before the memory goes.
    fileprivate static func fired(_ userdata: UnsafeMutableRawPointer?, _ value: UInt32) -> Int32 {
        guard let userdata else { preconditionFailure("a source has its object as userdata") }
        let source = Unmanaged<Source>.fromOpaque(userdata).takeUnretainedValue()
        source.willFire()
        source.loop.perform { try source.handler(value) }
        return 0
    }

    fileprivate func willFire() {}

    /// Makes the C source that calls back to this object.
    fileprivate func attach(
        _ priority: EventLoop.Priority, _ operation: String,
        _ add: (OpaquePointer, inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(SystemError) {
        let result = add(loop.event, &pointer, Unmanaged.passUnretained(self).toOpaque())
        guard result >= 0, let pointer else { throw Syscalls.libraryFailure(result, operation) }
        Source.must(
            sd_event_source_set_priority(pointer, priority.rawValue), "set a source's priority")
    }

    /// For calls on a living source that can only fail by misuse or want of memory.
    fileprivate static func must(_ result: Int32, _ what: String) {
        precondition(result >= 0, "\(what): \(SystemError.reason(-result))")
    }
}

/// Watches a descriptor. The descriptor stays its owner's, who closes the source first.
package final class IOSource: Source {
    /// Changes what the descriptor is watched for.
    package func watch(_ events: IOEvents) {
        guard let pointer else { preconditionFailure("the source is closed") }
        Source.must(sd_event_source_set_io_events(pointer, events.rawValue), "watch a descriptor")
    }
}

/// Fires once at a moment on CLOCK_BOOTTIME. Made disarmed.
package final class TimerSource: Source {
    /// The moment it fires, or nil.
    package private(set) var armedUsec: Int64?

    /// Sets the moment. A moment that has passed fires in the next turn; `Int64.max` never does.
    package func arm(atUsec usec: Int64) {
        if usec == armedUsec { return }
        if usec == .max { return disarm() }
        guard let pointer else { preconditionFailure("the source is closed") }
        Source.must(sd_event_source_set_time(pointer, UInt64(max(0, usec))), "arm a timer")
        if armedUsec == nil { set(.once) }
        armedUsec = usec
    }

    package func disarm() {
        if armedUsec == nil { return }
        armedUsec = nil
        set(.off)
    }

    override fileprivate func willFire() {
        armedUsec = nil
    }
}

extension EventLoop {
    /// Calls the handler whenever the descriptor is ready, with what it is ready for.
    package func addIO(
        _ descriptor: Int32, _ events: IOEvents, priority: Priority,
        handler: @escaping (IOEvents) throws -> Void
    ) throws(SystemError) -> IOSource {
        let source = IOSource(self) { try handler(IOEvents(rawValue: $0)) }
        try source.attach(priority, "watch descriptor \(descriptor)") { event, pointer, userdata in
            sd_event_add_io(
                event, &pointer, descriptor, events.rawValue,
                { _, _, ready, userdata in Source.fired(userdata, ready) }, userdata)
        }
        return source
    }

    /// Calls the handler once when the process behind a pidfd has ended (pidfd_open(2): the
    /// descriptor is then readable).
    package func addProcessEnd(
        pidfd: Int32, priority: Priority, handler: @escaping () throws -> Void
    ) throws(SystemError) -> Source {
        let source = try addIO(pidfd, .readable, priority: priority) { _ in try handler() }
        // It stays readable for ever.
        source.set(.once)
        return source
    }

    /// - Parameter accuracyUsec: how late it may fire so that wake-ups fall together. At least 1:
    ///   sd_event_add_time(3) takes 0 for 250 ms.
    package func addTimer(
        priority: Priority, accuracyUsec: UInt64 = 1_000, handler: @escaping () throws -> Void
    ) throws(SystemError) -> TimerSource {
        precondition(accuracyUsec > 0, "an accuracy of 0 means 250 ms to sd-event")
        let source = TimerSource(self) { _ in try handler() }
        try source.attach(priority, "add a timer") { event, pointer, userdata in
            sd_event_add_time(
                event, &pointer, CLOCK_BOOTTIME, UInt64(Int64.max), accuracyUsec,
                { _, _, userdata in Source.fired(userdata, 0) }, userdata)
        }
        source.set(.off)
        return source
    }

    /// Calls the handler for each arrival of a signal, which must be blocked in every thread
    /// (`ProcessSignal.block`).
    package func addSignal(
        _ signal: ProcessSignal, priority: Priority = .signals,
        handler: @escaping () throws -> Void
    ) throws(SystemError) -> Source {
        let source = Source(self) { _ in try handler() }
        try source.attach(priority, "watch signal \(signal.rawValue)") { event, pointer, userdata in
            sd_event_add_signal(
                event, &pointer, signal.rawValue,
                { _, _, userdata in Source.fired(userdata, 0) }, userdata)
        }
        return source
    }

    /// Calls the handler once in a coming turn, when nothing of higher priority is ready.
    /// `set(.once)` asks for another call.
    package func addDefer(
        priority: Priority, handler: @escaping () throws -> Void
    ) throws(SystemError) -> Source {
        let source = Source(self) { _ in try handler() }
        try source.attach(priority, "defer a call") { event, pointer, userdata in
            sd_event_add_defer(
                event, &pointer, { _, userdata in Source.fired(userdata, 0) }, userdata)
        }
        return source
    }

    /// Calls the handler after every turn that served another source, when nothing of higher
    /// priority is ready (sd_event_add_post(3)).
    package func addPost(
        priority: Priority, handler: @escaping () throws -> Void
    ) throws(SystemError) -> Source {
        let source = Source(self) { _ in try handler() }
        try source.attach(priority, "add a call after each turn") { event, pointer, userdata in
            sd_event_add_post(
                event, &pointer, { _, userdata in Source.fired(userdata, 0) }, userdata)
        }
        return source
    }
}
