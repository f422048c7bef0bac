import Glibc
import Support
import SystemKit

extension TemporaryDirectory {
    /// Writes a file and the directories above it.
    func write(_ name: String, _ text: String) throws {
        try makeParents(name)
        try Files.writeAtomically("\(path)/\(name)", Array(text.utf8), mode: 0o644)
    }

    func link(_ name: String, to target: String) throws {
        try makeParents(name)
        guard symlink(target, "\(path)/\(name)") == 0 else {
            throw SystemError(code: errno, operation: "symlink \(name)")
        }
    }

    func makeDirectory(_ name: String) throws {
        try makeParents(name + "/x")
    }

    private func makeParents(_ name: String) throws {
        var directory = path
        for part in name.split(separator: "/").dropLast() {
            directory += "/" + part
            try Files.makeDirectory(directory, mode: 0o755)
        }
    }
}
