import CLinux
import Glibc

/// This process's memory.
package enum Memory {
    /// What of this process is in memory, by /proc/self/statm (proc(5)).
    package static func residentBytes() throws(SystemError) -> Int64 {
        let path = "/proc/self/statm"
        let fields = try Files.readAll(path, bytesMax: 256).split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int64(String(decoding: fields[1], as: UTF8.self))
        else { throw SystemError(code: EINVAL, operation: "read \(path)") }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Lets malloc keep at most two arenas. By default each thread gets one of its own, up to
    /// eight per core, and what is freed in one is not reused in another. Called first thing.
    package static func useFewArenas() {
        let done = CLinux_limit_arenas(2)
        precondition(done, "mallopt knows M_ARENA_MAX")
    }
}
