import Glibc
import Testing

@testable import SystemKit

struct FilesTests {
    @Test func writtenIsReadWithItsMode() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        for (content, mode) in [([1, 2, 3], 0o644), ([], 0o666)] as [([UInt8], UInt32)] {
            try Files.writeAtomically(path, content, mode: mode)
            #expect(try Files.readAll(path, bytesMax: 3) == content)
            #expect(try Files.status(path)?.mode == mode)
        }
        // No temporary file is left.
        #expect(try Files.list(directory.path) == ["file"])
    }

    @Test func aReaderOfTheOldFileKeepsIt() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try Files.writeAtomically(path, [1], mode: 0o600)
        let old = try Files.open(path, O_RDONLY)
        try Files.writeAtomically(path, [2], mode: 0o600)
        #expect(try Files.readAll(old.rawValue, bytesMax: 10, name: path) == [1])
        #expect(try Files.readAll(path, bytesMax: 10) == [2])
    }

    @Test func failedWriteLeavesTheOldFileAndNoOther() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/taken"
        try Files.makeDirectory(path, mode: 0o700)
        let error = #expect(throws: SystemError.self) {
            try Files.writeAtomically(path, [1], mode: 0o600)
        }
        #expect(error?.code == EISDIR)
        #expect(try Files.list(directory.path) == ["taken"])
    }

    @Test func boundsHoldAtTheByte() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try Files.writeAtomically(path, content, mode: 0o600)
        #expect(try Files.readAll(path, bytesMax: 100_000) == content)
        let error = #expect(throws: SystemError.self) {
            try Files.readAll(path, bytesMax: 99_999)
        }
        #expect(error == SystemError(code: EFBIG, operation: "read \(path)"))
    }

    @Test func filesWithoutASizeAreReadToTheirEnd() throws {
        let status = try Files.readAll("/proc/self/status", bytesMax: 1 << 20)
        #expect(status.starts(with: Array("Name:".utf8)))
        #expect(status.last == UInt8(ascii: "\n"))
    }

    @Test func missingFileIsNamed() {
        let error = #expect(throws: SystemError.self) {
            try Files.readAll("/nowhere/file", bytesMax: 10)
        }
        #expect(error?.isNotFound == true)
        #expect(error?.description == "open /nowhere/file: No such file or directory")
    }

    @Test func removeTellsWhetherThereWasOne() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try Files.writeAtomically(path, [1], mode: 0o600)
        #expect(try Files.remove(path))
        #expect(try !Files.remove(path))
    }

    @Test(arguments: [
        ("/a/b", "/a", "b"), ("/b", "/", "b"), ("b", ".", "b"), ("a/b", "a", "b"),
    ])
    func pathsAreSplitAtTheLastSlash(_ path: String, _ directory: String, _ name: String) {
        let parts = Files.split(path)
        #expect(parts.directory == directory)
        #expect(parts.name == name)
    }
}
