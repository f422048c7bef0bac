import Glibc
import Testing

@testable import SystemKit

struct UnixSocketListenTests {
    @Test func theModeIsAsAskedWhateverTheUmask() throws {
        let directory = try TemporaryDirectory()
        for mode in [0o666, 0o600] as [UInt32] {
            let path = "\(directory.path)/\(mode)"
            let listener = try UnixSocket.listen(path: path, mode: mode)
            let status = try #require(try Files.status(path))
            #expect(status.kind == .socket)
            #expect(status.mode == mode)
            _ = listener.rawValue
        }
    }

    @Test func socketLeftBehindIsReplaced() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        do {
            let dead = try UnixSocket.listen(path: path, mode: 0o600)
            _ = dead.rawValue
        }
        #expect(try Files.status(path) != nil)
        let listener = try UnixSocket.listen(path: path, mode: 0o600)
        let client = try UnixSocket.connect(path: path)
        _ = client.rawValue
        guard case .connection = try UnixSocket.accept(listener.rawValue) else {
            Issue.record("no connection")
            return
        }
    }

    @Test func livingSocketIsLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        let living = try UnixSocket.listen(path: path, mode: 0o600)
        let error = #expect(throws: UnixSocketError.self) {
            _ = try UnixSocket.listen(path: path, mode: 0o600)
        }
        #expect(error == .inUse(path: path))
        let client = try UnixSocket.connect(path: path)
        _ = client.rawValue
        _ = living.rawValue
    }

    /// The queue of a listener that accepts nothing is full, so a connection cannot be made. It
    /// lives all the same.
    @Test func busySocketIsLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        let living = try UnixSocket.listen(path: path, mode: 0o600, backlog: 0)
        let client = try UnixSocket.connect(path: path)
        let error = #expect(throws: UnixSocketError.self) {
            _ = try UnixSocket.listen(path: path, mode: 0o600)
        }
        #expect(error == .inUse(path: path))
        _ = (client.rawValue, living.rawValue)
    }

    @Test func otherFilesAreLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try Files.writeAtomically(path, [1, 2], mode: 0o600)
        let error = #expect(throws: UnixSocketError.self) {
            _ = try UnixSocket.listen(path: path, mode: 0o600)
        }
        #expect(error == .notASocket(path: path))
        #expect(try Files.readAll(path, bytesMax: 10) == [1, 2])
    }

    @Test func longestPathWorksAndOneMoreIsRefused() throws {
        let directory = try TemporaryDirectory()
        let free = UnixSocket.pathBytesMax - directory.path.utf8.count - 1
        let longest = "\(directory.path)/" + String(repeating: "x", count: free)
        let listener = try UnixSocket.listen(path: longest, mode: 0o600)
        let client = try UnixSocket.connect(path: longest)
        _ = (client.rawValue, listener.rawValue)
        let error = #expect(throws: UnixSocketError.self) {
            _ = try UnixSocket.listen(path: longest + "x", mode: 0o600)
        }
        #expect(error == .pathTooLong(path: longest + "x"))
        #expect(
            error?.description.hasSuffix("a path of 108 bytes; the kernel takes 1 to 107") == true)
    }

    @Test func missingDirectoryIsNamed() {
        let error = #expect(throws: UnixSocketError.self) {
            _ = try UnixSocket.listen(path: "/nowhere/socket", mode: 0o600)
        }
        #expect(error?.description == "bind /nowhere/socket: No such file or directory")
    }
}
