import SystemKit

/// A directory of one daemon, removed with everything in it when it is dropped.
final class WorkDirectory {
    let path: String

    init(in parent: String, _ name: String) throws(BenchError) {
        path = "\(parent)/retrybench-\(name)-\(ProcessIdentity.own.process)"
        WorkDirectory.remove(path)
        do {
            try Files.makeDirectory(path, mode: 0o700)
        } catch {
            throw .system(error)
        }
    }

    deinit {
        WorkDirectory.remove(path)
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
