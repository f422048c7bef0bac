import Glibc
import Support
import SystemKit
import Testing

/// A small file system in memory, for a test of what happens when a disk is full or read-only.
final class SmallDisk {
    let path: String
    private let directory: TemporaryDirectory

    /// Mounting is for root, and not for all of them: containers may not.
    static let isPermitted: Bool = (try? SmallDisk(kibibytes: 64)) != nil

    init(kibibytes: Int) throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/disk"
        try Files.makeDirectory(path, mode: 0o700)
        try change(kibibytes, flags: 0)
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
    }

    func resize(kibibytes: Int) throws {
        try change(kibibytes, flags: UInt(MS_REMOUNT))
    }

    func makeReadOnly(kibibytes: Int) throws {
        try change(kibibytes, flags: UInt(MS_REMOUNT | MS_RDONLY))
    }

    private func change(_ kibibytes: Int, flags: UInt) throws {
        guard mount("tmpfs", path, "tmpfs", flags, "size=\(kibibytes)k") == 0 else {
            throw SystemError(code: errno, operation: "mount \(path)")
        }
    }
}

/// Copies a file, or its first bytes.
func copyFile(_ path: String, to target: String, bytesMax: Int = .max) throws {
    let source = try Files.open(path, O_RDONLY)
    let copy = try Files.open(target, O_WRONLY | O_CREAT | O_TRUNC)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
    defer { buffer.deallocate() }
    var left = bytesMax
    while left > 0, case .count(let count) = try Syscalls.read(source.rawValue, into: buffer) {
        let piece = UnsafeRawBufferPointer(rebasing: buffer[..<min(count, left)])
        try Files.writeAll(copy.rawValue, piece, name: target)
        left -= piece.count
    }
}
