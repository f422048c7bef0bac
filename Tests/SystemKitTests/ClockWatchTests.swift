import Glibc
import SystemKit
import Testing

@Suite struct ClockWatchTests {
    /// The clock is set to the time it shows, which moves it by some nanoseconds.
    @Test func tellsThatTheClockWasSet() throws {
        let watch = try ClockWatch()
        #expect(try !watch.takeChange())
        for _ in 0..<2 {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            guard clock_settime(CLOCK_REALTIME, &time) == 0 else {
                // Not ours to set, as in a container.
                #expect(errno == EPERM)
                return
            }
            #expect(try Syscalls.wait(for: watch.fileDescriptor, .readable, timeoutMs: 1_000))
            #expect(try watch.takeChange())
        }
        #expect(try !watch.takeChange())
    }

    @Test func asksTimesyncdWhereTheKernelMayNotBeAsked() throws {
        let directory = try TemporaryDirectory()
        #expect(ClockWatch.isSynchronised(byFilesIn: "\(directory.path)/none") == nil)
        #expect(ClockWatch.isSynchronised(byFilesIn: directory.path) == false)
        try Files.writeAtomically("\(directory.path)/synchronized", [], mode: 0o644)
        #expect(ClockWatch.isSynchronised(byFilesIn: directory.path) == true)
    }

    @Test func asksTheKernelWhetherItsClockIsRight() {
        // Either may be true here; a sandbox alone hides it.
        #expect(ClockWatch.isSynchronised != nil)
    }
}
