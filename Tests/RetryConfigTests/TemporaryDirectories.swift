import Glibc
import SystemKit

/// A tree of files that lives as long as the test.
final class TemporaryDirectories {
    let root: String

    init() {
        var template = Array("/tmp/retryd-config.\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("mkdtemp: error \(errno)") }
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        remove(root)
    }

    func write(_ path: String, _ text: String) throws {
        try makeParents(path)
        try Files.writeAtomically(root + "/" + path, Array(text.utf8), mode: 0o644)
    }

    func link(_ path: String, to target: String) throws {
        try makeParents(path)
        guard symlink(target, root + "/" + path) == 0 else {
            throw SystemError(code: errno, operation: "symlink \(path)")
        }
    }

    func makeDirectory(_ path: String) throws {
        try makeParents(path + "/x")
    }

    private func makeParents(_ path: String) throws {
        var directory = root
        for part in path.split(separator: "/").dropLast() {
            directory += "/" + part
            try Files.makeDirectory(directory, mode: 0o755)
        }
    }

    private func remove(_ path: String) {
        if (try? Files.status(path, followLinks: false))?.kind == .directory {
            for name in (try? Files.list(path)) ?? [] { remove(path + "/" + name) }
            _ = try? Files.removeDirectory(path)
        } else {
            _ = try? Files.remove(path)
        }
    }
}
