import Glibc
import Testing

@testable import SystemKit

struct UnixSocketTests {
    @Test func acceptGivesConnectionsThenWouldBlock() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/socket"
        let listener = try UnixSocket.listen(path: path, mode: 0o666)
        let client = try UnixSocket.connect(path: path)
        guard case .connection(let server) = try UnixSocket.accept(listener.rawValue) else {
            Issue.record("no connection")
            return
        }
        #expect(fcntl(server.rawValue, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(server.rawValue, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(client.rawValue, F_GETFL) & O_NONBLOCK == 0)
        try write("hello", to: client.rawValue)
        var room = [UInt8](repeating: 0, count: 8)
        let count = try room.withUnsafeMutableBytes {
            try Syscalls.receive(server.rawValue, into: $0)
        }
        #expect(count == .count(5))
        guard case .wouldBlock = try UnixSocket.accept(listener.rawValue) else {
            Issue.record("a connection that nobody made")
            return
        }
    }

    @Test func connectToNothingNamesThePath() {
        let error = #expect(throws: UnixSocketError.self) {
            _ = try UnixSocket.connect(path: "/nowhere/socket")
        }
        #expect(error?.code == ENOENT)
        #expect(error?.description == "connect to /nowhere/socket: No such file or directory")
    }

    @Test func acceptWithoutDescriptorsIsACondition() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/socket"
            let listener = try UnixSocket.listen(path: path, mode: 0o600)
            let client = try UnixSocket.connect(path: path)
            // No number is free below the limit, whatever the test process has open.
            let top = OwnedFD(adopting: dup(client.rawValue))
            var limit = rlimit(rlim_cur: rlim_t(top.rawValue + 1), rlim_max: 4_096)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard case .exhausted(let error) = try UnixSocket.accept(listener.rawValue) else {
                fatalError("the limit had no effect")
            }
            precondition(error == SystemError(code: EMFILE, operation: "accept"))
            _ = top.release()
        }
    }
}
