import CSystemd

/// A connection to a D-Bus message bus, served by an event loop; no call on it waits (sd-bus(3)).
///
/// Calls take strings and give any value: that is all that is asked of logind and systemd here.
/// When the connection ends, every call that is under way is told an error, then `disconnected`
/// is called; another connection is another `Bus`.
package final class Bus {
    /// Which message bus.
    package enum Kind: Sendable {
        case system
        /// The session bus of the user this process belongs to.
        case user
    }

    /// What answers to a call.
    package typealias Handler = (Result<[BusValue], BusError>) -> Void

    private let loop: EventLoop
    private let pointer: OpaquePointer
    private var matches: [BusSlot] = []
    /// Calls under way; each is removed by its answer.
    private var calls: [ObjectIdentifier: BusSlot] = [:]

    /// Begins to connect. Whether somebody answers there is told by the first call.
    ///
    /// - Throws: `SystemError` when there is no bus, or it does not take connections now.
    package init(
        _ kind: Kind, _ loop: EventLoop, priority: EventLoop.Priority
    ) throws(SystemError) {
        self.loop = loop
        var opened: OpaquePointer?
        let result =
            switch kind {
            case .system: sd_bus_open_system(&opened)
            case .user: sd_bus_open_user(&opened)
            }
        guard result >= 0, let opened else {
            throw Syscalls.libraryFailure(result, "connect to D-Bus")
        }
        pointer = opened
        let attached = sd_bus_attach_event(pointer, loop.event, Int32(priority.rawValue))
        if attached < 0 {
            sd_bus_unref(pointer)
            throw Syscalls.libraryFailure(attached, "attach D-Bus to the loop")
        }
    }

    deinit {
        close()
        sd_bus_unref(pointer)
    }

    /// Ends the connection. No handler is called after that.
    package func close() {
        for slot in matches { slot.release() }
        for slot in calls.values { slot.release() }
        matches = []
        calls = [:]
        sd_bus_detach_event(pointer)
        sd_bus_close(pointer)
    }

    /// Calls a method of somebody on the bus.
    ///
    /// - Parameters:
    ///   - arguments: all of type `s`.
    ///   - starts: whether the bus starts the one that is called where it does not run.
    ///   - handler: called once, later.
    package func call(
        _ destination: String, path: String, _ interface: String, _ method: String,
        _ arguments: [String] = [], starts: Bool = true, _ handler: @escaping Handler
    ) throws(SystemError) {
        var message: OpaquePointer?
        var result = sd_bus_message_new_method_call(
            pointer, &message, destination, path, interface, method)
        defer { sd_bus_message_unref(message) }
        for argument in arguments where result >= 0 {
            result = argument.withCString { text in
                sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text)
            }
        }
        if result >= 0 { result = sd_bus_message_set_auto_start(message, starts ? 1 : 0) }
        let slot = BusSlot(loop)
        let key = ObjectIdentifier(slot)
        slot.handler = { [unowned self] message in
            // Taken out first: the handler may close the bus.
            let slot = calls.removeValue(forKey: key)
            handler(Bus.answer(in: message))
            slot?.release()
        }
        if result >= 0 {
            result = sd_bus_call_async(
                pointer, &slot.pointer, message, BusSlot.received, slot.userdata, 0)
        }
        if result < 0 { throw Syscalls.libraryFailure(result, "call \(method) by D-Bus") }
        calls[key] = slot
    }

    /// Calls the handler for each signal that fits, with what it carries, as long as the
    /// connection stands.
    ///
    /// - Parameters:
    ///   - path: nil: of any object.
    ///   - argument: its first argument; nil: any.
    package func watch(
        from sender: String, path: String?, _ interface: String, _ signal: String,
        argument: String? = nil,
        _ handler: @escaping (_ path: String, _ values: [BusValue]) -> Void
    ) throws(SystemError) {
        let slot = BusSlot(loop)
        slot.handler = { message in
            let path = sd_bus_message_get_path(message).map { String(cString: $0) } ?? ""
            handler(path, BusValue.all(in: message))
        }
        var rule = "type='signal',sender='\(sender)',interface='\(interface)',member='\(signal)'"
        if let path { rule += ",path='\(path)'" }
        if let argument { rule += ",arg0='\(argument)'" }
        let result = sd_bus_add_match_async(
            pointer, &slot.pointer, rule, BusSlot.received, nil, slot.userdata)
        if result < 0 { throw Syscalls.libraryFailure(result, "watch \(signal) by D-Bus") }
        matches.append(slot)
    }

    /// Calls the handler once, when the connection has ended without `close`.
    package func whenDisconnected(_ handler: @escaping () -> Void) throws(SystemError) {
        // sd-bus sends it to itself (sd_bus_set_exit_on_disconnect(3)).
        try watch(
            from: "org.freedesktop.DBus.Local", path: "/org/freedesktop/DBus/Local",
            "org.freedesktop.DBus.Local", "Disconnected"
        ) { _, _ in handler() }
    }

    private static func answer(in message: OpaquePointer?) -> Result<[BusValue], BusError> {
        guard let error = sd_bus_message_get_error(message) else {
            return .success(BusValue.all(in: message))
        }
        return .failure(
            BusError(
                name: error.pointee.name.map { String(cString: $0) } ?? "",
                message: error.pointee.message.map { String(cString: $0) } ?? ""))
    }
}

/// What the called one, or the bus in its place, said why it did not do it.
package struct BusError: Error, Hashable, CustomStringConvertible {
    /// `org.freedesktop.DBus.Error.…` or one of the called one's own.
    package var name: String
    package var message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { "\(message) (\(name))" }

    /// The bus or the called one is away or busy: the same may be answered later. Everything else
    /// is an answer (sd-bus-errors(3)).
    package var mayPass: Bool { BusError.passing.contains(name) }

    private static let passing: Set<String> = Set(
        [
            "NoReply", "Timeout", "TimedOut", "Disconnected", "ServiceUnknown", "NameHasNoOwner",
            "NoServer", "LimitsExceeded", "NoMemory",
        ].map { "org.freedesktop.DBus.Error.\($0)" })
}

/// A C slot and the handler it calls. The slot is released before the object goes.
private final class BusSlot {
    let loop: EventLoop
    var pointer: OpaquePointer?
    var handler: (OpaquePointer?) -> Void = { _ in }

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func release() {
        sd_bus_slot_unref(pointer)
        pointer = nil
        handler = { _ in }
    }

    /// The one place where sd-bus calls back.
    static let received: sd_bus_message_handler_t = { message, userdata, _ in
        guard let userdata else { preconditionFailure("a slot has its object as userdata") }
        let slot = Unmanaged<BusSlot>.fromOpaque(userdata).takeUnretainedValue()
        slot.handler(message)
        return 0
    }
}
