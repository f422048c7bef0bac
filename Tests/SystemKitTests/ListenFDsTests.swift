import Glibc
import Testing

@testable import SystemKit

struct ListenFDsTests {
    @Test func takesWhatWasPassedOnce() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let listener = try UnixSocket.listen(path: "\(directory.path)/socket", mode: 0o600)
            let pipe = try Pipe()
            // The first passed number is 3, whatever the test process has open there.
            let socket = dup(listener.rawValue)
            let reader = dup(pipe.reader.rawValue)
            dup2(socket, 3)
            dup2(reader, 4)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "varlink:other", 1)
            let passed = try ListenFD.takeAll()
            precondition(
                passed == [
                    ListenFD(rawValue: 3, name: "varlink"), ListenFD(rawValue: 4, name: "other"),
                ])
            precondition(passed[0].isListeningUnixStream)
            precondition(!passed[1].isListeningUnixStream)
            precondition(fcntl(3, F_GETFD) == FD_CLOEXEC)
            precondition(Environment.value("LISTEN_FDS") == nil)
            let again = try ListenFD.takeAll()
            precondition(again == [])
            // The process ends here: 3 may be the test library's own channel.
            exit(EXIT_SUCCESS)
        }
    }

    @Test func whatIsForAnotherProcessIsNotTaken() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            let passed = try ListenFD.takeAll()
            precondition(passed == [])
        }
    }
}
