import Testing

@testable import SystemKit

@Suite
struct FilesSpaceTests {
    @Test
    func zerosComeBehindWhatIsThere() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try Files.writeAtomically(path, [1, 2], mode: 0o600)
        try Files.appendZeros(path, count: 3)
        #expect(try Files.readAll(path, bytesMax: 10) == [1, 2, 0, 0, 0])
    }

    @Test
    func aMissingFileIsNotMade() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        #expect(throws: SystemError.self) { try Files.appendZeros(path, count: 3) }
        #expect(try Files.status(path) == nil)
    }

    @Test
    func freeSpaceIsThatOfTheFileSystem() throws {
        #expect(try Files.freeBytes("/tmp") > 0)
        // A file system that takes nothing.
        #expect(try Files.freeBytes("/proc") == 0)
        #expect(throws: SystemError.self) { try Files.freeBytes("/nowhere") }
    }
}
