import SystemKit
import Testing

/// What a change does is shown in a namespace of its own (IntegrationTests/NetworkTests); here is
/// the host's, which stays as it is.
@Suite struct RouteWatchTests {
    @Test func seesTheHostsDefaultRoute() throws {
        let script = "ip -4 route show default; ip -6 route show default"
        let pipe = try MemoryFile.make(named: "routes", [])
        let child = try ChildProcess.start(
            ["sh", "-c", script], output: .descriptor(pipe.rawValue))
        #expect(child.wait() == .exited(code: 0))
        let shown = try Files.readAll("/proc/self/fd/\(pipe.rawValue)", bytesMax: 1 << 20)
        // Routes of the kinds `unreachable` and `blackhole` lead nowhere.
        let leads = String(decoding: shown, as: UTF8.self).split(separator: "\n").contains {
            $0.hasPrefix("default")
        }
        #expect(try RouteWatch.hasDefaultRoute() == leads)
    }

    @Test func isQuietWhileNothingChanges() throws {
        let watch = try RouteWatch()
        try watch.drain()
        #expect(try !Syscalls.wait(for: watch.fileDescriptor, .readable, timeoutMs: 0))
    }
}
