import RetryConfig
import Testing

@testable import RetryDaemon

/// The command line.
@Suite
struct DaemonOptionsTests {
    @Test
    func withoutArgumentsTheInstalledPathsHold() throws {
        let options = try DaemonOptions(["retryd"])
        #expect(options.state == "/var/lib/retryd")
        #expect(options.socket == "/run/retryd/io.retryd")
        #expect(options.config == nil)
        #expect(options.bootID == nil)
        #expect(!options.showsHelp && !options.showsVersion)
    }

    @Test
    func valuesFollowOrAreJoinedByAnEqualsSign() throws {
        let options = try DaemonOptions(
            ["retryd", "--state", "/s", "--socket=/a=b", "--config=", "--boot-id", "x"])
        #expect(options.state == "/s")
        #expect(options.socket == "/a=b")
        #expect(options.config == "")
        #expect(options.bootID == "x")
    }

    @Test
    func theLastOneCounts() throws {
        #expect(try DaemonOptions(["retryd", "--state", "/a", "--state", "/b"]).state == "/b")
    }

    @Test(arguments: ["--help", "-h"])
    func helpIsShown(argument: String) throws {
        #expect(try DaemonOptions(["retryd", argument]).showsHelp)
    }

    @Test(arguments: [
        (["--stat", "/x"], "unknown argument --stat; see retryd --help"),
        (["file"], "unknown argument file; see retryd --help"),
        (["-"], "unknown argument -; see retryd --help"),
        (["--state"], "--state needs a value; see retryd --help"),
        (["--socket", "/x", "--config"], "--config needs a value; see retryd --help"),
    ])
    func whatIsWrongIsNamed(arguments: [String], message: String) {
        #expect(throws: UsageError(message)) { try DaemonOptions(["retryd"] + arguments) }
    }

    @Test
    func aConfigurationDirectoryTakesThePlaceOfTheHosts() throws {
        let own = try DaemonOptions(["retryd", "--config", "/mine"]).searchPath
        #expect(own.directories.first == "/mine")
        #expect(own.directories.count == 2)
        #expect(own.isFirstRequired)
        let host = try DaemonOptions(["retryd"]).searchPath
        #expect(host.directories.first == "/etc/retryd")
        #expect(!host.isFirstRequired)
    }
}
