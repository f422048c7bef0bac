import Testing

@testable import SystemKit

struct WakeupTests {
    @Test func signalsFallTogether() throws {
        let wakeup = try Wakeup(reader: .polling)
        #expect(!wakeup.drain())
        wakeup.signal()
        wakeup.signal()
        #expect(try Syscalls.wait(for: wakeup.fileDescriptor, .readable, timeoutMs: 0))
        #expect(wakeup.drain())
        #expect(!wakeup.drain())
    }

    @Test func waitSleepsUntilTheSignal() throws {
        let wakeup = try Wakeup(reader: .blocking)
        let reader = try Wakeup(reader: .blocking)
        let thread = try Thread.spawn(name: "signaller") {
            reader.wait()
            wakeup.signal()
        }
        reader.signal()
        wakeup.wait()
        thread.join()
    }

    @Test func pollingReaderMustNotWait() async {
        await #expect(processExitsWith: .failure) {
            try Wakeup(reader: .polling).wait()
        }
    }
}
