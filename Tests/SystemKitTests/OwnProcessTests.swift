import SystemKit
import Testing

@Suite struct OwnProcessTests {
    @Test func knowsWhereItIs() throws {
        let directory = try OwnProcess.workingDirectory()
        #expect(directory.hasPrefix("/"))
        #expect(try Files.status(directory)?.kind == .directory)
        #expect(OwnProcess.id > 1)
    }

    @Test func readsTheMaskWithoutChangingIt() {
        let mask = OwnProcess.fileCreationMask()
        #expect(mask <= 0o777)
        #expect(OwnProcess.fileCreationMask() == mask)
    }

    @Test func listsTheEnvironment() {
        let path = Environment.value("PATH").map { "PATH=\($0)" }
        #expect(Environment.all.contains(path))
    }

    @Test func sleepsAtLeastThatLong() {
        let begunUsec = Clocks.monotonicUsec()
        Clocks.sleep(ms: 15)
        #expect(Clocks.monotonicUsec() - begunUsec >= 15_000)
    }
}
