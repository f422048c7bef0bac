import Glibc
import Testing

@testable import SystemKit

struct LockFileTests {
    @Test func secondOwnerLearnsWhoTheFirstIs() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/lock"
        do {
            let lock = try LockFile(path: path)
            let error = #expect(throws: LockFileError.self) { _ = try LockFile(path: path) }
            #expect(error == .held(path: path, process: getpid()))
            #expect(
                error?.description == "lock \(path): held by process \(getpid()); stop it first")
            _ = consume lock
        }
        let again = try LockFile(path: path)
        _ = consume again
    }

    @Test func fileOfADeadHolderIsTakenOver() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/lock"
        try Files.writeAtomically(path, Array("4194305 and more\n".utf8), mode: 0o600)
        let lock = try LockFile(path: path)
        #expect(try Files.readAll(path, bytesMax: 64) == Array("\(getpid())\n".utf8))
        _ = consume lock
    }

    @Test func missingDirectoryIsNamed() {
        let error = #expect(throws: LockFileError.self) {
            _ = try LockFile(path: "/nowhere/lock")
        }
        #expect(error?.description == "open /nowhere/lock: No such file or directory")
    }
}
