import CLinux
import Glibc

/// A file in memory without a name (memfd_create(2)): hands bytes to a program as its input
/// without anybody having to feed it.
package enum MemoryFile {
    /// - Returns: a descriptor at the beginning of the content.
    package static func make(
        named name: String, _ content: [UInt8]
    ) throws(SystemError) -> OwnedFD {
        let file = OwnedFD(
            adopting: try Syscalls.checked("memfd_create") { CLinux_memfd(name) })
        if !content.isEmpty {
            let written = content.withUnsafeBytes { bytes in
                Result { () throws(SystemError) in
                    try Files.writeAll(file.rawValue, bytes, name: name)
                }
            }
            try written.get()
        }
        let offset = lseek(file.rawValue, 0, SEEK_SET)
        precondition(offset == 0, "a memory file can be rewound")
        return file
    }
}
