import SystemKit

/// A directory of its own for a test, removed with everything in it when the value goes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init(mode: UInt32 = 0o700) throws {
        let base = Environment.value("TMPDIR") ?? "/tmp"
        path = "\(base)/retryd-test-\(String(Entropy.seed(), radix: 36))"
        try Files.makeDirectory(path, mode: mode)
    }

    deinit {
        TemporaryDirectory.remove(path)
    }

    private static func remove(_ path: String) {
        for name in (try? Files.list(path)) ?? [] {
            let entry = "\(path)/\(name)"
            let status = try? Files.status(entry, followLinks: false)
            if status?.kind == .directory { remove(entry) } else { _ = try? Files.remove(entry) }
        }
        _ = try? Files.removeDirectory(path)
    }
}
