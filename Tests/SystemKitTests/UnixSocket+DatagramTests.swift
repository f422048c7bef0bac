import Glibc
import Testing

@testable import SystemKit

@Suite
struct UnixSocketDatagramTests {
    @Test func takesWhatIsSentToItsPath() async {
        // A process of its own: the environment is everybody's.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/notify"
            let socket = try UnixSocket.bindDatagram(path: path)
            setenv("NOTIFY_SOCKET", path, 1)
            let wasTold = try ServiceNotify.ready()
            precondition(wasTold)
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
            guard case .count(let count) = try Syscalls.receive(socket.rawValue, into: room) else {
                preconditionFailure("nothing came")
            }
            precondition(String(decoding: room[..<count], as: UTF8.self) == "READY=1")
            room.deallocate()
        }
    }

    @Test func aPathThatIsTakenIsRefused() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/taken"
        let first = try UnixSocket.bindDatagram(path: path)
        #expect(throws: UnixSocketError.inUse(path: path)) {
            _ = try UnixSocket.bindDatagram(path: path)
        }
        #expect(first.rawValue >= 0)
    }
}
