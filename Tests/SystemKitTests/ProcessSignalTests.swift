import Glibc
import Testing

@testable import SystemKit

struct ProcessSignalTests {
    @Test func blockedSignalsStayPending() async {
        await #expect(processExitsWith: .success) {
            ProcessSignal.block([.terminate, .hangUp])
            pthread_kill(pthread_self(), SIGTERM)
            var pending = sigset_t()
            sigpending(&pending)
            precondition(sigismember(&pending, SIGTERM) == 1)
            precondition(sigismember(&pending, SIGHUP) == 0)
        }
    }

    @Test func noSignalIsNumberZero() async {
        await #expect(processExitsWith: .failure) {
            ProcessSignal.block([ProcessSignal(rawValue: 0), ProcessSignal(rawValue: 1_000)])
        }
    }
}
