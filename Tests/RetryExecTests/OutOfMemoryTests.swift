import Testing

@testable import RetryExec

@Suite struct OutOfMemoryTests {
    @Test func findsTheGroupOfVersion2() {
        let both = "4:memory:/a\n1:cpu:/\n0::/system.slice/retryd-exec.service\n"
        #expect(OutOfMemory.group(in: Array(both.utf8)) == "/system.slice/retryd-exec.service")
        #expect(OutOfMemory.group(in: Array("4:memory:/a\n".utf8)) == nil)
        #expect(OutOfMemory.group(in: []) == nil)
    }

    @Test func readsTheCount() {
        let events = "low 0\nhigh 0\nmax 12\noom 2\noom_kill 7\noom_group_kill 1\n"
        #expect(OutOfMemory.killCount(in: Array(events.utf8)) == 7)
        #expect(OutOfMemory.killCount(in: Array("low 0\n".utf8)) == nil)
    }
}
