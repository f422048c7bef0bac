import Glibc

/// What stat(2) tells of a file.
package struct FileStatus: Hashable, Sendable {
    /// What is behind a name.
    package enum Kind: Sendable {
        case file, directory, symbolicLink, socket, pipe, characterDevice, blockDevice
    }

    package let kind: Kind
    /// The permission bits alone.
    package let mode: UInt32
    package let size: Int64
    package let user: UInt32
    package let group: UInt32
    package let device: UInt64
    package let inode: UInt64
    /// The last change of the content, by the wall clock.
    package let modifiedUsec: Int64

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFSOCK: .socket
            case S_IFIFO: .pipe
            case S_IFCHR: .characterDevice
            case S_IFBLK: .blockDevice
            default: .file
            }
        mode = status.st_mode & 0o7777
        size = Int64(status.st_size)
        user = status.st_uid
        group = status.st_gid
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modifiedUsec =
            Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
    }
}

extension Files {
    /// - Parameter followLinks: whether a symbolic link means its target.
    /// - Returns: nil if there is nothing at the path.
    package static func status(
        _ path: String, followLinks: Bool = true
    ) throws(SystemError) -> FileStatus? {
        var status = stat()
        let code = path.withCString { path in
            Syscalls.uninterrupted {
                followLinks ? stat(path, &status) : lstat(path, &status)
            }.code
        }
        if code == ENOENT || code == ENOTDIR { return nil }
        if code != 0 { throw Syscalls.failure(code, "stat \(path)") }
        return FileStatus(status)
    }

    package static func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
        var status = stat()
        try Syscalls.checked("fstat") { fstat(descriptor, &status) }
        return FileStatus(status)
    }

    /// The names in a directory in the order of their bytes, without "." and "..".
    ///
    /// - Throws: EILSEQ for a name that is not UTF-8: it could not be opened by what is returned.
    package static func list(_ path: String) throws(SystemError) -> [String] {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY).release()
        guard let directory = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            throw Syscalls.failure(code, "list \(path)")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            // readdir(3): the end and an error differ in errno only.
            errno = 0
            guard let entry = readdir(directory) else {
                let code = errno
                if code != 0 { throw Syscalls.failure(code, "list \(path)") }
                break
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    String(validatingCString: $0)
                }
            }
            guard let name else {
                throw SystemError(code: EILSEQ, operation: "list \(path): a name in it")
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Makes a directory and what is missing above it.
    package static func makeDirectories(_ path: String, mode: UInt32) throws(SystemError) {
        if try status(path) != nil { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectories(String(path[..<slash]), mode: mode)
        }
        try makeDirectory(path, mode: mode)
    }

    /// Makes a directory, whose parent exists.
    ///
    /// - Parameter mode: of a new one, whatever the umask is. One that is there stays as it is.
    /// - Returns: false if it was there already.
    @discardableResult
    package static func makeDirectory(_ path: String, mode: UInt32) throws(SystemError) -> Bool {
        let code = path.withCString { path in
            Syscalls.uninterrupted { mkdir(path, mode) }.code
        }
        if code == EEXIST {
            if try status(path)?.kind == .directory { return false }
        }
        if code != 0 { throw Syscalls.failure(code, "make directory \(path)") }
        try Syscalls.checked("chmod \(path)") { chmod(path, mode) }
        return true
    }

    /// Removes an empty directory.
    ///
    /// - Returns: false if there was none.
    @discardableResult
    package static func removeDirectory(_ path: String) throws(SystemError) -> Bool {
        let code = path.withCString { path in Syscalls.uninterrupted { rmdir(path) }.code }
        if code == ENOENT { return false }
        if code != 0 { throw Syscalls.failure(code, "remove directory \(path)") }
        return true
    }
}
