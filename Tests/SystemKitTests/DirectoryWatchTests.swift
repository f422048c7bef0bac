import SystemKit
import Testing

@Suite struct DirectoryWatchTests {
    @Test func tellsOfFilesMovedIn() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let watch = try DirectoryWatch(path)
        func isReadable() throws -> Bool {
            try Syscalls.wait(for: watch.fileDescriptor, .readable, timeoutMs: 0)
        }
        #expect(try !isReadable())
        try Files.writeAtomically("\(path)/a", [1], mode: 0o600)
        #expect(try isReadable())
        try watch.drain()
        #expect(try !isReadable())
        try Files.remove("\(path)/a")
        #expect(try !isReadable())
    }

    @Test func aFileIsNoDirectory() throws {
        #expect(throws: SystemError.self) { _ = try DirectoryWatch("/etc/passwd") }
    }
}
