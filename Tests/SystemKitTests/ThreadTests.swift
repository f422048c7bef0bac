import Glibc
import Testing

@testable import SystemKit

struct ThreadTests {
    private final class Seen: Sendable {
        let name = Lock("")
        let blocked = Lock<[Int32]>([])
    }

    @Test func hasItsNameAndBlocksAllSignals() throws {
        let seen = Seen()
        let thread = try Thread.spawn(name: "a-name-of-more-than-15") {
            let bytes = (try? Files.readAll("/proc/thread-self/comm", bytesMax: 64)) ?? []
            seen.name.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            let blocked = [SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGPIPE].filter {
                sigismember(&mask, $0) == 1
            }
            seen.blocked.withLock { $0 = blocked }
        }
        thread.join()
        #expect(seen.name.withLock { $0 } == "a-name-of-more-\n")
        #expect(seen.blocked.withLock { $0 } == [SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGPIPE])
    }

    @Test func startingOneLeavesTheCallersMaskAlone() throws {
        var before = sigset_t()
        var after = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &before)
        try Thread.spawn(name: "short") {}.join()
        pthread_sigmask(SIG_SETMASK, nil, &after)
        for signal in 1...31 as ClosedRange<Int32> {
            #expect(sigismember(&before, signal) == sigismember(&after, signal))
        }
    }

    @Test func whatItsBodyHoldsIsFreedWithIt() throws {
        weak var observed: Seen?
        do {
            let seen = Seen()
            observed = seen
            try Thread.spawn(name: "holder") { seen.name.withLock { $0 = "x" } }.join()
        }
        #expect(observed == nil)
    }

    @Test func impossibleStackIsAnError() throws {
        let error = #expect(throws: SystemError.self) {
            _ = try Thread.spawn(name: "small", stackBytes: 1) {}
        }
        #expect(error == SystemError(code: EINVAL, operation: "start a thread"))
    }
}
