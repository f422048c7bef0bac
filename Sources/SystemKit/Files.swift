import Glibc

/// Whole files and directories. All descriptors are close-on-exec.
package enum Files {
    /// Opens a file; the flags are those of open(2).
    package static func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) -> OwnedFD {
        let (descriptor, code) = path.withCString { path in
            Syscalls.uninterrupted { Glibc.open(path, flags | O_CLOEXEC, mode) }
        }
        if descriptor < 0 { throw Syscalls.failure(code, "open \(path)") }
        return OwnedFD(adopting: descriptor)
    }

    /// The whole content of a file.
    ///
    /// - Throws: EFBIG if it has more than `bytesMax` bytes.
    package static func readAll(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
        let file = try open(path, O_RDONLY)
        return try readAll(file.rawValue, bytesMax: bytesMax, name: path)
    }

    /// The whole content of a regular file, or of what reads as nothing, such as /dev/null. A pipe
    /// or a device would keep its reader waiting, perhaps for ever.
    ///
    /// - Throws: EFBIG if it has more than `bytesMax` bytes; `notRegular` for anything else.
    package static func readRegular(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
        // Without O_NONBLOCK opening a pipe waits for its writer (fifo(7)).
        let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        var status = stat()
        try Syscalls.checked("fstat \(path)") { fstat(file.rawValue, &status) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return try readAll(file.rawValue, bytesMax: bytesMax, name: path)
        case S_IFCHR where status.st_rdev == nullDevice: return []
        case S_IFDIR: throw SystemError(code: EISDIR, operation: "read \(path)")
        case _: throw SystemError(code: SystemError.notRegular, operation: "read \(path)")
        }
    }

    /// /dev/null: the character device 1:3 (null(4)).
    private static let nullDevice: dev_t = 1 << 8 | 3

    /// Everything up to the end of a blocking descriptor.
    ///
    /// - Parameter name: what an error calls it.
    package static func readAll(
        _ descriptor: Int32, bytesMax: Int, name: String
    ) throws(SystemError) -> [UInt8] {
        var content: [UInt8] = []
        // Files in /proc say that they are empty, so the size is a hint and no more. One byte
        // more than allowed is asked for, to see the end or that there is too much.
        var room = min(bytesMax + 1, 4_096)
        while true {
            var result = (value: 0, code: Int32(0))
            let start = content.count
            content.append(contentsOf: repeatElement(0, count: room))
            content.withUnsafeMutableBytes { bytes in
                let free = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                result = Syscalls.uninterrupted { read(descriptor, free.baseAddress, free.count) }
            }
            if result.value < 0 { throw Syscalls.failure(result.code, "read \(name)") }
            content.removeLast(room - result.value)
            if result.value == 0 { return content }
            if content.count > bytesMax {
                throw SystemError(code: EFBIG, operation: "read \(name)")
            }
            room = min(bytesMax + 1 - content.count, max(4_096, content.count))
        }
    }

    /// Replaces a file so that at every moment, a crash of the host included, it has either the
    /// old content or the new one: a new file is written, synced and renamed over the old, and
    /// the directory is synced.
    ///
    /// - Parameter mode: of the new file, whatever the umask is.
    package static func writeAtomically(
        _ path: String, _ content: [UInt8], mode: UInt32
    ) throws(SystemError) {
        let (directory, name) = split(path)
        let temporary = "\(directory)/.\(name).\(getpid()).new"
        do throws(SystemError) {
            // One left by a process of the same number that died here is overwritten.
            let file = try open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
            try content.span.withUnsafeBytes { (bytes) throws(SystemError) in
                try writeAll(file.rawValue, bytes, name: temporary)
            }
            try Syscalls.checked("chmod \(temporary)") { fchmod(file.rawValue, mode) }
            try sync(file.rawValue, name: temporary)
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
        try syncDirectory(directory)
    }

    /// Writes everything to a blocking descriptor.
    package static func writeAll(
        _ descriptor: Int32, _ content: UnsafeRawBufferPointer, name: String
    ) throws(SystemError) {
        var rest = content[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let (count, code) = Syscalls.uninterrupted {
                write(descriptor, piece.baseAddress, piece.count)
            }
            if count < 0 { throw Syscalls.failure(code, "write \(name)") }
            rest = rest.dropFirst(count)
        }
    }

    /// fsync(2). After an error the content on disk is not known, and syncing again does not say.
    package static func sync(_ descriptor: Int32, name: String) throws(SystemError) {
        try Syscalls.checked("fsync \(name)") { fsync(descriptor) }
    }

    /// Makes the content of a file last, whoever wrote it.
    package static func sync(_ path: String) throws(SystemError) {
        let file = try open(path, O_RDONLY)
        try sync(file.rawValue, name: path)
    }

    /// Makes renames and new names in a directory last.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        let directory = try open(path, O_RDONLY | O_DIRECTORY)
        try sync(directory.rawValue, name: path)
    }

    package static func rename(_ path: String, to target: String) throws(SystemError) {
        let code = path.withCString { path in
            target.withCString { target in
                Syscalls.uninterrupted { Glibc.rename(path, target) }.code
            }
        }
        if code != 0 { throw Syscalls.failure(code, "rename \(path) to \(target)") }
    }

    /// Removes a file.
    ///
    /// - Returns: false if there was none.
    @discardableResult
    package static func remove(_ path: String) throws(SystemError) -> Bool {
        let code = path.withCString { path in Syscalls.uninterrupted { unlink(path) }.code }
        if code == ENOENT { return false }
        if code != 0 { throw Syscalls.failure(code, "remove \(path)") }
        return true
    }

    /// The directory a path is in, and its last part.
    static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = String(path[..<slash])
        return (directory.isEmpty ? "/" : directory, String(path[path.index(after: slash)...]))
    }
}
