import CLinux
import Glibc

/// A process that cannot be mistaken for a later one of the same number.
package struct ProcessIdentity: Hashable, Sendable {
    package let process: Int32
    /// Clock ticks from boot to its start; 0 if /proc did not tell.
    package let startTicks: UInt64

    package init(process: Int32, startTicks: UInt64) {
        self.process = process
        self.startTicks = startTicks
    }

    /// Looks the start of a process up.
    package init(of process: Int32) {
        self.init(process: process, startTicks: ProcessIdentity.startTicks(process))
    }

    /// This process.
    package static var own: ProcessIdentity { ProcessIdentity(of: getpid()) }

    /// Whether this process still runs. One that ended and was not yet waited for has ended; a
    /// number that now belongs to another process has ended too.
    package var isAlive: Bool {
        guard process > 0 else { return false }
        if let now = ProcessIdentity.readStat(process) {
            if now.isEnded { return false }
            return startTicks == 0 || now.startTicks == startTicks
        }
        // /proc can be hidden (ProtectProc=invisible). EPERM: it is somebody else's, but exists.
        return kill(process, 0) == 0 || errno == EPERM
    }

    /// Field 22 of /proc/PID/stat, proc(5); 0 if it cannot be read.
    package static func startTicks(_ process: Int32) -> UInt64 {
        readStat(process)?.startTicks ?? 0
    }

    /// pidfd_open(2): a descriptor that is readable once the process has ended.
    ///
    /// - Returns: nil if there is no such process.
    package static func open(_ process: Int32) throws(SystemError) -> OwnedFD? {
        guard process > 0 else { return nil }
        let (descriptor, code) = Syscalls.uninterrupted { CLinux_pidfd_open(process) }
        if descriptor >= 0 { return OwnedFD(adopting: descriptor) }
        // EINVAL: the number is that of a thread.
        if code == ESRCH || code == EINVAL { return nil }
        throw Syscalls.failure(code, "pidfd_open \(process)")
    }

    struct Stat: Hashable {
        /// Zombie or dead.
        var isEnded: Bool
        var startTicks: UInt64
    }

    private static func readStat(_ process: Int32) -> Stat? {
        guard process > 0,
            let bytes = try? Files.readAll("/proc/\(process)/stat", bytesMax: 4_096)
        else { return nil }
        return parseStat(bytes)
    }

    /// Reads the state (field 3) and the start (field 22). The second field is the program's name
    /// in parentheses and may hold anything, so the fields are counted from the last ')'.
    static func parseStat(_ bytes: [UInt8]) -> Stat? {
        guard let nameEnd = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(nameEnd + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let state = fields[0].first,
            let ticks = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        let isEnded = state == UInt8(ascii: "Z") || state == UInt8(ascii: "X")
        return Stat(isEnded: isEnded, startTicks: ticks)
    }
}

extension ProcessIdentity {
    /// The user a process runs as: the owner of its directory in /proc (proc(5)); nil where /proc
    /// does not tell.
    package static func user(of process: Int32) -> UInt32? {
        (try? Files.status("/proc/\(process)"))??.user
    }
}
