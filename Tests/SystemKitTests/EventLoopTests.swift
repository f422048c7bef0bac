import Glibc
import Testing

@testable import SystemKit

struct EventLoopTests {
    @Test func runReturnsTheCodeOfExit() throws {
        let loop = try EventLoop()
        let source = try loop.addDefer(priority: .idle) { loop.exit(7) }
        #expect(try loop.run() == 7)
        source.close()
    }

    @Test func whatAHandlerThrowsEndsTheLoop() throws {
        let loop = try EventLoop()
        let thrown = SystemError(code: ENOSPC, operation: "test")
        let source = try loop.addDefer(priority: .idle) { throw thrown }
        let error = #expect(throws: SystemError.self) { try loop.run() }
        #expect(error == thrown)
        source.close()
    }

    @Test func readySourcesAreServedByPriority() throws {
        let loop = try EventLoop()
        var served: [EventLoop.Priority] = []
        let wakeups = try (0..<6).map { _ in try Wakeup(reader: .polling) }
        let order: [EventLoop.Priority] = [.idle, .accept, .clients, .timer, .store, .signals]
        let sources = try zip(wakeups, order).map { wakeup, priority in
            try loop.addIO(wakeup.fileDescriptor, .readable, priority: priority) { events in
                #expect(events == .readable)
                wakeup.drain()
                served.append(priority)
                if served.count == order.count { loop.exit(0) }
            }
        }
        for wakeup in wakeups { wakeup.signal() }
        #expect(try loop.run() == 0)
        #expect(served == [.signals, .store, .timer, .clients, .accept, .idle])
        for source in sources { source.close() }
    }

    @Test func nowStandsStillDuringATurn() throws {
        let loop = try EventLoop()
        let beforeUsec = Clocks.boottimeUsec()
        let source = try loop.addDefer(priority: .idle) {
            let first = loop.nowUsec
            usleep(2_000)
            #expect(loop.nowUsec == first)
            #expect(first >= beforeUsec)
            #expect(first <= Clocks.boottimeUsec())
            loop.exit(0)
        }
        #expect(try loop.run() == 0)
        source.close()
    }

    @Test func watchdogIsReadFromTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            #expect(EventLoop.watchdogUsec == nil)
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            #expect(EventLoop.watchdogUsec == 30_000_000)
            setenv("WATCHDOG_PID", "1", 1)
            #expect(EventLoop.watchdogUsec == nil)
        }
    }
}
