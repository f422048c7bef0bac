import Glibc

/// Holds a file's lock, flock(2), so that two daemons never share a directory. The kernel drops
/// it with the process, so a crash leaves nothing to clean up. The file says who holds it.
package struct LockFile: ~Copyable {
    private let file: OwnedFD

    deinit {
        // Closing alone would leave the lock to a program that is just being started and has a
        // copy of the descriptor until its exec.
        flock(file.rawValue, LOCK_UN)
    }

    /// Takes the lock without waiting and writes this process's number into the file.
    package init(path: String) throws(LockFileError) {
        do throws(SystemError) {
            let file = try Files.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            self.file = try LockFile.take(file, path)
        } catch {
            guard error.code == EWOULDBLOCK else { throw .system(error) }
            throw .held(path: path, process: LockFile.holder(path))
        }
    }

    private static func take(
        _ file: consuming OwnedFD, _ path: String
    ) throws(SystemError) -> OwnedFD {
        let descriptor = file.rawValue
        try Syscalls.checked("lock \(path)") { flock(descriptor, LOCK_EX | LOCK_NB) }
        try Syscalls.checked("truncate \(path)") { ftruncate(descriptor, 0) }
        let text = Array("\(getpid())\n".utf8)
        try text.span.withUnsafeBytes { (bytes) throws(SystemError) in
            try Files.writeAll(descriptor, bytes, name: path)
        }
        return file
    }

    /// The number in the file; nil if the holder has not yet written it.
    private static func holder(_ path: String) -> Int32? {
        guard let bytes = try? Files.readAll(path, bytesMax: 32) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// Why a lock was not taken.
package enum LockFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case held(path: String, process: Int32?)
    case system(SystemError)

    package var description: String {
        switch self {
        case .held(let path, let process?):
            "lock \(path): held by process \(process); stop it first"
        case .held(let path, nil):
            "lock \(path): held by another process; stop it first (fuser \(path) names it)"
        case .system(let error):
            error.description
        }
    }
}
