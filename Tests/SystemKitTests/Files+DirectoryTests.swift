import Glibc
import Testing

@testable import SystemKit

struct FilesDirectoryTests {
    @Test func namesAreInTheOrderOfTheirBytes() throws {
        let directory = try TemporaryDirectory()
        let names = ["b", "B", "a", "10", "9", "é", ".hidden", "a.toml"]
        for name in names {
            try Files.writeAtomically("\(directory.path)/\(name)", [], mode: 0o600)
        }
        #expect(
            try Files.list(directory.path)
                == [".hidden", "10", "9", "B", "a", "a.toml", "b", "é"])
    }

    @Test func nameThatIsNotUTF8IsRefused() throws {
        let directory = try TemporaryDirectory()
        let bytes =
            Array(directory.path.utf8CString.dropLast()) + [0x2F, CChar(bitPattern: 0xFF), 0]
        close(open(bytes, O_CREAT | O_WRONLY, 0o600))
        let error = #expect(throws: SystemError.self) { try Files.list(directory.path) }
        #expect(error?.code == EILSEQ)
        unlink(bytes)
    }

    @Test func listOfAFileIsAnError() throws {
        let directory = try TemporaryDirectory()
        try Files.writeAtomically("\(directory.path)/file", [], mode: 0o600)
        let error = #expect(throws: SystemError.self) {
            try Files.list("\(directory.path)/file")
        }
        #expect(error?.code == ENOTDIR)
    }

    @Test func statusTellsTheKind() throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/file"
        let link = "\(directory.path)/link"
        try Files.writeAtomically(file, [1, 2, 3], mode: 0o640)
        try #require(symlink(file, link) == 0)
        let status = try #require(try Files.status(file))
        #expect(status.kind == .file)
        #expect(status.size == 3)
        #expect(status.mode == 0o640)
        #expect(status.user == geteuid())
        #expect(try Files.status(link)?.inode == status.inode)
        #expect(try Files.status(link, followLinks: false)?.kind == .symbolicLink)
        #expect(try Files.status("/dev/null")?.kind == .characterDevice)
        #expect(try Files.status(directory.path)?.kind == .directory)
        #expect(try Files.status("\(directory.path)/none") == nil)
        #expect(try Files.status("\(file)/below") == nil)
        let open = try Files.open(file, O_RDONLY)
        #expect(try Files.status(of: open.rawValue) == status)
    }

    @Test func directoryIsMadeOnceWithItsMode() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/new"
        #expect(try Files.makeDirectory(path, mode: 0o777))
        #expect(try Files.status(path)?.mode == 0o777)
        #expect(try !Files.makeDirectory(path, mode: 0o700))
        #expect(try Files.status(path)?.mode == 0o777)
        try Files.writeAtomically("\(directory.path)/file", [], mode: 0o600)
        let error = #expect(throws: SystemError.self) {
            try Files.makeDirectory("\(directory.path)/file", mode: 0o700)
        }
        #expect(error?.code == EEXIST)
        #expect(try Files.removeDirectory(path))
        #expect(try !Files.removeDirectory(path))
    }
}
