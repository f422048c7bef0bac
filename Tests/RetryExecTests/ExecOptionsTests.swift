import Testing

@testable import RetryExec

@Suite struct ExecOptionsTests {
    private func parse(_ words: String...) throws -> ExecOptions {
        try ExecOptions(["retryd-exec"] + words)
    }

    @Test func withoutArgumentsItIsTheHosts() throws {
        let options = try parse()
        #expect(options.socket == "/run/retryd/io.retryd")
        #expect(options.runtimeDirectory == "/run/retryd-exec")
        #expect(options.queue == "command")
        #expect(options.max >= 2)
        #expect(options.killAfterS == 10)
    }

    @Test func aPrivateInstanceKeepsItsAccountBesideItsSocket() throws {
        #expect(try parse("--socket", "/tmp/r/s").runtimeDirectory == "/tmp/r/s.exec")
        #expect(try parse("--socket=/tmp/r/s", "--runtime=/x").runtimeDirectory == "/x")
    }

    @Test func takesValuesInBothForms() throws {
        let options = try parse("--max", "7", "--queue=mine", "--kill-after", "0")
        #expect(options.max == 7)
        #expect(options.queue == "mine")
        #expect(options.killAfterS == 0)
        #expect(try parse("--help").showsHelp)
        #expect(try parse("--version").showsVersion)
    }

    @Test func relativePathsCountFromWhereItWasStarted() throws {
        var options = try parse("--socket", "r/s", "--runtime=x")
        try options.makePathsAbsolute(from: "/srv")
        #expect(options.socket == "/srv/r/s")
        #expect(options.runtimeDirectory == "/srv/x")
        var other = try parse("--socket", "s")
        try other.makePathsAbsolute(from: "/srv")
        #expect(other.runtimeDirectory == "/srv/s.exec")
    }

    @Test(arguments: [
        (["--max"], "--max needs a value; see retryd-exec --help"),
        (["--max", "0"], "--max takes a number from 1 to 800, not \"0\""),
        (["--max=many"], "--max takes a number from 1 to 800, not \"many\""),
        (["--kill-after", "-1"], "--kill-after takes a number from 0 to 86400, not \"-1\""),
        (["--queue="], "--queue takes a name of 1 to 255 bytes"),
        (["command"], "unknown argument command; see retryd-exec --help"),
    ])
    func refuses(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try ExecOptions(["retryd-exec"] + words) }
    }
}
