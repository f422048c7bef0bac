import CLinux
import Glibc

/// Tells when files are moved into a directory, as those are that are written whole under another
/// name first (inotify(7)).
package struct DirectoryWatch: ~Copyable {
    private let descriptor: OwnedFD

    package init(_ path: String) throws(SystemError) {
        descriptor = OwnedFD(
            adopting: try Syscalls.checked("watch directory \(path)") {
                CLinux_watch_directory(path)
            })
    }

    /// Readable after a file was moved into the directory, until it is drained.
    package var fileDescriptor: Int32 { descriptor.rawValue }

    /// Forgets what has been told so far. Whoever wants to know more looks into the directory:
    /// the kernel drops events when too many wait.
    package func drain() throws(SystemError) {
        try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) {
            (buffer) throws(SystemError) in
            while case .count = try Syscalls.read(descriptor.rawValue, into: buffer) {}
        }
    }
}
