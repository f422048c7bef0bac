import Support
import SystemKit

/// The disk of a daemon under test: slow or broken when told so.
struct TestDisk {
    /// What the preloaded library reads, see Preload/disk.c.
    private let path: String

    /// Makes a daemon, which is not started, keep its store on such a disk.
    init(of daemon: PrivateDaemon) throws {
        path = "\(daemon.directory.path)/disk"
        let library = "\(daemon.directory.path)/disk.so"
        let source = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined()
            + "/Preload/disk.c"
        let compiled = try FinishedProgram.run(
            ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"])
        guard compiled.end == .exited(code: 0) else { throw Failure("\(compiled)") }
        daemon.variables += [("LD_PRELOAD", library), ("RETRYD_TEST_DISK", path)]
    }

    func set(syncDelayMs: Int) throws { try write("sync-delay \(syncDelayMs)") }
    func set(syncError code: Int32) throws { try write("sync-error \(code)") }
    func set(writeError code: Int32) throws { try write("write-error \(code)") }
    func set(readError code: Int32) throws { try write("read-error \(code)") }
    func set(freeKiB: Int) throws { try write("free-kib \(freeKiB)") }
    func repair() throws { try write("") }

    private func write(_ text: String) throws {
        try Files.writeAtomically(path, Array(text.utf8), mode: 0o644)
    }
}
