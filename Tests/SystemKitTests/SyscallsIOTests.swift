import Glibc
import Synchronization
import Testing

@testable import SystemKit

private let interruptions = Atomic<Int>(0)

struct SyscallsIOTests {
    @Test func readGivesCountThenWouldBlockThenEnd() throws {
        let (reader, writer) = try pipeEnds()
        try Syscalls.setNonBlocking(reader)
        var room = [UInt8](repeating: 0, count: 8)
        try write("abc", to: writer)
        let first = try room.withUnsafeMutableBytes { try Syscalls.read(reader, into: $0) }
        #expect(first == .count(3))
        #expect(room[..<3] == [97, 98, 99])
        let second = try room.withUnsafeMutableBytes { try Syscalls.read(reader, into: $0) }
        #expect(second == .wouldBlock)
        close(writer)
        let last = try room.withUnsafeMutableBytes { try Syscalls.read(reader, into: $0) }
        #expect(last == .end)
        close(reader)
    }

    @Test func writeToAFullPipeWouldBlock() throws {
        let pipe = try Pipe()
        try Syscalls.setNonBlocking(pipe.writer.rawValue)
        let piece = [UInt8](repeating: 1, count: 4_096)
        var written = 0
        while true {
            let result = try piece.withUnsafeBytes {
                try Syscalls.write(pipe.writer.rawValue, from: $0)
            }
            guard case .count(let count) = result else {
                #expect(result == .wouldBlock)
                break
            }
            written += count
        }
        #expect(written == 65_536)
    }

    /// Without MSG_NOSIGNAL the signal would end the test process.
    @Test func sendToAClosedPeerIsAnErrorAndNoSignal() throws {
        let left = try socketWithoutPeer()
        let error = #expect(throws: SystemError.self) {
            _ = try [UInt8(1)].withUnsafeBytes { try Syscalls.send(left.rawValue, from: $0) }
        }
        #expect(error == SystemError(code: EPIPE, operation: "send"))
        #expect(error?.isDisconnect == true)
    }

    @Test func receiveGivesWhatWasSent() throws {
        let pair = try UnixSocket.Pair()
        let sent = try [UInt8(7), 0, 255].withUnsafeBytes {
            try Syscalls.send(pair.left.rawValue, from: $0)
        }
        #expect(sent == .count(3))
        var room = [UInt8](repeating: 0, count: 8)
        let received = try room.withUnsafeMutableBytes {
            try Syscalls.receive(pair.right.rawValue, into: $0)
        }
        #expect(received == .count(3))
        #expect(room == [7, 0, 255, 0, 0, 0, 0, 0])
    }

    /// The thread sleeps in read(2), is interrupted, and sleeps in read(2) again.
    @Test func interruptedReadGoesOn() throws {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            interruptions.add(1, ordering: .relaxed)
        }
        // No SA_RESTART: the kernel must not hide the interruption.
        try #require(sigaction(SIGUSR2, &action, nil) == 0)
        let pipe = try Pipe()
        let reader = pipe.reader.rawValue
        let shared = Shared()
        let thread = try Thread.spawn(name: "interrupted") {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGUSR2)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            shared.identity.withLock { $0 = (ownThreadNumber(), pthread_self()) }
            var byte: UInt8 = 0
            let outcome = try? withUnsafeMutableBytes(of: &byte) {
                try Syscalls.read(reader, into: $0)
            }
            shared.result.withLock { $0 = outcome }
        }
        try waitUntil("the thread tells its number") { shared.identity.withLock { $0 != nil } }
        let own = try #require(shared.identity.withLock { $0 })
        for round in 1...3 {
            try waitUntil("the thread sleeps") { try threadState(own.process) == "S" }
            pthread_kill(own.handle, SIGUSR2)
            try waitUntil("the signal arrives") {
                interruptions.load(ordering: .relaxed) == round
            }
        }
        try write("x", to: pipe.writer.rawValue)
        thread.join()
        #expect(shared.result.withLock { $0 } == .count(1))
    }

    private final class Shared: Sendable {
        let result = Lock<IOResult?>(nil)
        let identity = Lock<(process: Int32, handle: pthread_t)?>(nil)
    }

    @Test func closedDescriptorTraps() async {
        await #expect(processExitsWith: .failure) {
            let descriptor = try Pipe().reader.rawValue
            var byte: UInt8 = 0
            _ = try withUnsafeMutableBytes(of: &byte) {
                try Syscalls.read(descriptor, into: $0)
            }
        }
    }

    @Test func waitEndsAtItsTimeout() throws {
        let pipe = try Pipe()
        let startUsec = Clocks.monotonicUsec()
        #expect(try !Syscalls.wait(for: pipe.reader.rawValue, .readable, timeoutMs: 20))
        #expect(Clocks.monotonicUsec() - startUsec >= 20_000)
        try write("x", to: pipe.writer.rawValue)
        #expect(try Syscalls.wait(for: pipe.reader.rawValue, .readable, timeoutMs: nil))
    }

    @Test func pipesAreCloseOnExec() throws {
        let pipe = try Pipe()
        #expect(fcntl(pipe.reader.rawValue, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(pipe.writer.rawValue, F_GETFD) == FD_CLOEXEC)
    }
}
