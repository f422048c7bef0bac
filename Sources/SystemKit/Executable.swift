import Glibc

/// The program that this process runs.
package enum Executable {
    /// Its file, with no link in the path; nil where /proc does not tell. After an upgrade another
    /// file may lie there by now.
    package static var path: String? {
        let room = Int(PATH_MAX)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = readlink("/proc/self/exe", base, room)
            // readlink(2) cuts what does not fit, and that would be another path.
            guard count > 0, count < room else { return nil }
            let path = String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
            // proc(5), /proc/pid/exe: how the kernel marks a file that was removed or replaced.
            let mark = " (deleted)"
            return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
        }
    }
}
