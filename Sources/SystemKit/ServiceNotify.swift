import CSystemd

/// Tells the service manager how this process is, sd_notify(3).
///
/// Without $NOTIFY_SOCKET nothing happens. Each call says whether the manager was told.
package enum ServiceNotify {
    @discardableResult
    package static func ready(status: String? = nil) throws(SystemError) -> Bool {
        try send(["READY=1"] + line("STATUS", status))
    }

    /// One sentence for `systemctl status`. A line break in it would start another variable, so
    /// it becomes a space.
    @discardableResult
    package static func status(_ text: String) throws(SystemError) -> Bool {
        try send(line("STATUS", text))
    }

    /// A reload has begun; `ready` ends it. MONOTONIC_USEC= tells the manager that this is the
    /// answer to the reload it asked for (Type=notify-reload, systemd 253).
    @discardableResult
    package static func reloading(
        monotonicUsec: Int64 = Clocks.monotonicUsec(), status: String? = nil
    ) throws(SystemError) -> Bool {
        try send(
            ["RELOADING=1", "MONOTONIC_USEC=\(monotonicUsec)"] + line("STATUS", status))
    }

    @discardableResult
    package static func stopping(status: String? = nil) throws(SystemError) -> Bool {
        try send(["STOPPING=1"] + line("STATUS", status))
    }

    /// Feeds the watchdog.
    @discardableResult
    package static func watchdog() throws(SystemError) -> Bool {
        try send(["WATCHDOG=1"])
    }

    /// Asks for more time to start, reload or stop: so much from now.
    @discardableResult
    package static func extendTimeout(
        usec: Int64, status: String? = nil
    ) throws(SystemError) -> Bool {
        try send(["EXTEND_TIMEOUT_USEC=\(usec)"] + line("STATUS", status))
    }

    @discardableResult
    package static func mainProcess(_ process: Int32) throws(SystemError) -> Bool {
        try send(["MAINPID=\(process)"])
    }

    /// The error the service failed with, for `systemctl status`.
    @discardableResult
    package static func failed(code: Int32, status: String) throws(SystemError) -> Bool {
        try send(["ERRNO=\(code)"] + line("STATUS", status))
    }

    private static func line(_ name: String, _ value: String?) -> [String] {
        guard let value else { return [] }
        let oneLine = value.utf8.contains(where: isLineBreak)
        guard oneLine else { return ["\(name)=\(value)"] }
        let bytes = value.utf8.map { isLineBreak($0) ? UInt8(ascii: " ") : $0 }
        return ["\(name)=\(String(decoding: bytes, as: UTF8.self))"]
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private static func send(_ lines: [String]) throws(SystemError) -> Bool {
        let result = sd_notify(0, lines.joined(separator: "\n"))
        if result < 0 { throw Syscalls.libraryFailure(result, "notify the service manager") }
        return result > 0
    }
}
