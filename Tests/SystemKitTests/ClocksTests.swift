import Testing

@testable import SystemKit

struct ClocksTests {
    @Test func boottimeIsTheKernelsUptime() throws {
        let beforeUsec = Clocks.boottimeUsec()
        let bytes = try Files.readAll("/proc/uptime", bytesMax: 128)
        let afterUsec = Clocks.boottimeUsec()
        let text = String(decoding: bytes, as: UTF8.self)
        let uptime = try #require(text.split(separator: " ").first.flatMap { Double($0) })
        // The file has hundredths of a second, cut off.
        #expect(Double(beforeUsec) / 1e6 - 0.011 <= uptime)
        #expect(uptime <= Double(afterUsec) / 1e6)
    }

    @Test func monotonicNeverRunsAheadOfBoottime() {
        let monotonicUsec = Clocks.monotonicUsec()
        #expect(monotonicUsec > 0)
        #expect(monotonicUsec <= Clocks.boottimeUsec())
    }

    @Test func realtimeIsTheTimeOfAFreshFile() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/now"
        let beforeUsec = Clocks.realtimeUsec()
        try Files.writeAtomically(path, [1], mode: 0o600)
        let status = try #require(try Files.status(path))
        // The file system's clock ticks every few milliseconds.
        #expect(status.modifiedUsec > beforeUsec - 50_000)
        #expect(status.modifiedUsec <= Clocks.realtimeUsec())
    }
}
