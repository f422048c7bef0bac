import Glibc

extension Files {
    /// Makes a file longer by zeros that lie on the disk, so that writing over them later changes
    /// no metadata. If that fails, some of them may be there.
    package static func appendZeros(_ path: String, count: Int) throws(SystemError) {
        let file = try open(path, O_WRONLY | O_APPEND)
        let zeros = [UInt8](repeating: 0, count: count)
        try zeros.span.withUnsafeBytes { (bytes) throws(SystemError) in
            try writeAll(file.rawValue, bytes, name: path)
        }
        try Syscalls.checked("fdatasync \(path)") { fdatasync(file.rawValue) }
    }

    /// What the file system that holds a file has left for users without privileges.
    package static func freeBytes(_ path: String) throws(SystemError) -> Int64 {
        try space(path).free
    }

    /// The same, and how large the file system is, in bytes.
    package static func space(_ path: String) throws(SystemError) -> (free: Int64, total: Int64) {
        var status = statvfs()
        let code = path.withCString { path in
            Syscalls.uninterrupted { statvfs(path, &status) }.code
        }
        if code != 0 { throw Syscalls.failure(code, "statvfs \(path)") }
        func bytes(_ blocks: fsblkcnt_t) -> Int64 {
            Int64(clamping: UInt64(blocks).multipliedReportingOverflow(
                by: UInt64(status.f_frsize)).partialValue)
        }
        return (bytes(status.f_bavail), bytes(status.f_blocks))
    }
}
