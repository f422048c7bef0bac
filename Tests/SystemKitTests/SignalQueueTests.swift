import Glibc
import SystemKit
import Testing

@Suite struct SignalQueueTests {
    /// A signal to the whole process may go to any thread that has not blocked it, so the test
    /// sends one to its own thread alone.
    @Test func arrivalsAreTakenInOrder() throws {
        ProcessSignal.block([.user2, .windowSize])
        defer { ProcessSignal.unblock([.user2, .windowSize]) }
        let queue = try SignalQueue([.user2, .windowSize])
        #expect(try queue.next() == nil)
        raise(SIGUSR2)
        #expect(try Syscalls.wait(for: queue.fileDescriptor, .readable, timeoutMs: 1_000))
        let arrival = try queue.next()
        #expect(arrival?.signal == .user2)
        #expect(arrival?.isFromKernel == false)
        #expect(try queue.next() == nil)
    }

    @Test(arguments: [
        (1, "SIGHUP"), (9, "SIGKILL"), (15, "SIGTERM"), (34, "SIGRTMIN+0"), (37, "SIGRTMIN+3"),
        (99, "signal 99"),
    ] as [(Int32, String)])
    func signalsHaveNames(number: Int32, name: String) {
        #expect(ProcessSignal(rawValue: number).name == name)
    }

    @Test(arguments: [
        ("TERM", 15), ("SIGTERM", 15), ("term", 15), ("9", 9), ("SIGRTMIN+3", 37), ("0", nil),
        ("65", nil), ("SIG", nil), ("", nil), ("WHAT", nil),
    ] as [(String, Int32?)])
    func namesMeanSignals(name: String, number: Int32?) {
        #expect(ProcessSignal(name: name)?.rawValue == number)
    }
}
