import Glibc
import RetryRules
import Support
import SystemKit
import Testing

@testable import RetryConfig

@Suite
struct ConfigurationLoaderTests {
    private let directories: TemporaryDirectory
    private var high: String { directories.path + "/high" }
    private var low: String { directories.path + "/low" }

    init() throws {
        directories = try TemporaryDirectory()
    }

    private func load(_ path: SearchPath? = nil) throws(ConfigurationError) -> LoadedConfiguration {
        try ConfigurationLoader(
            searchPath: path ?? SearchPath(directories: [high, low]), names: someNames
        ).load()
    }

    @Test
    func nothingAtAllIsFine() throws {
        let loaded = try load()
        #expect(loaded.configuration == .standard)
        #expect(loaded.ruleFiles == [])
        #expect(loaded.files == [])
    }

    @Test
    func theHighestMainFileCountsAlone() throws {
        try directories.write("high/retryd.toml", "[limits]\noperations = 1\n")
        try directories.write("low/retryd.toml", "[limits]\noperations = 2\nconnections = 2\n")
        let loaded = try load()
        #expect(loaded.configuration.limits.operationsMax == 1)
        #expect(loaded.configuration.limits.connectionsMax == 4_096)
        #expect(loaded.files == [high + "/retryd.toml"])
    }

    @Test
    func filesBesideItOverrideByNameWhereverTheyLie() throws {
        try directories.write("high/retryd.toml", "[limits]\noperations = 1\n")
        try directories.write("low/retryd.toml.d/20-b.toml", "[limits]\noperations = 3\n")
        try directories.write("high/retryd.toml.d/10-a.toml", "[limits]\noperations = 2\n")
        let loaded = try load()
        #expect(loaded.configuration.limits.operationsMax == 3)
        #expect(
            loaded.files == [
                high + "/retryd.toml", high + "/retryd.toml.d/10-a.toml",
                low + "/retryd.toml.d/20-b.toml",
            ])
    }

    /// Opening a pipe would wait for its writer, perhaps for ever.
    @Test(arguments: ["retryd.toml", "retryd.toml.d/a.toml", "rules.d/a.toml"])
    func whatIsNoFileIsRefusedByName(name: String) throws {
        try directories.makeDirectory("high/rules.d")
        try directories.makeDirectory("high/retryd.toml.d")
        let path = "\(high)/\(name)"
        #expect(mkfifo(path, 0o644) == 0)
        let pipe = #expect(throws: ConfigurationError.self) { try load() }
        #expect(pipe?.file == path)
        #expect(pipe?.reason == "not a regular file; to mask one, link it to /dev/null")
        try Files.remove(path)

        try directories.link("high/\(name)", to: "/dev/zero")
        #expect(throws: ConfigurationError.self) { try load() }
        try Files.remove(path)

        try directories.link("high/\(name)", to: "nowhere.toml")
        let dangling = #expect(throws: ConfigurationError.self) { try load() }
        #expect(dangling?.file == path)
        #expect(dangling?.reason.hasPrefix("a symbolic link to nothing") == true)
        try Files.remove(path)

        try directories.link("high/\(name)", to: "/dev/null")
        _ = try load()
    }

    @Test
    func theSameNameHigherUpReplaces() throws {
        try directories.write("high/rules.d/http.toml", "# mine\n")
        try directories.write("low/rules.d/http.toml", "# theirs\n")
        let bytes = Array("# mine\n".utf8)
        #expect(
            try load().ruleFiles == [
                RuleSource(path: high + "/rules.d/http.toml", tier: 0, bytes: bytes)
            ])
    }

    @Test
    func anEmptyFileOrDevNullMasks() throws {
        for name in ["retryd.toml", "retryd.toml.d/10-a.toml", "rules.d/http.toml"] {
            try directories.write("low/\(name)", "nonsense")
        }
        try directories.write("high/retryd.toml", "")
        try directories.link("high/retryd.toml.d/10-a.toml", to: "/dev/null")
        try directories.link("high/rules.d/http.toml", to: "/dev/null")
        let loaded = try load()
        #expect(loaded.files == [])
        #expect(loaded.ruleFiles == [])
    }

    @Test
    func rulesComeByTierThenName() throws {
        for name in ["high/rules.d/z.toml", "high/rules.d/a.toml", "low/rules.d/b.toml"] {
            try directories.write(name, "# \(name)\n")
        }
        try directories.write("high/rules.d/README", "not a rule file")
        try directories.write("high/rules.d/.a.toml.swp.toml", "not one either")
        let files = try load().ruleFiles
        #expect(
            files.map(\.path) == [
                high + "/rules.d/a.toml", high + "/rules.d/z.toml", low + "/rules.d/b.toml",
            ])
        #expect(files.map(\.tier) == [0, 0, 1])
    }

    @Test
    func aPrivateDirectoryMustBeThere() throws {
        let missing = try #require(throws: ConfigurationError.self) {
            try load(.only(directories.path + "/none", shipped: low))
        }
        #expect(missing.file == directories.path + "/none")
        #expect(missing.reason == "no such directory; make it or name another with --config")
        try directories.write("file", "x")
        let file = try #require(throws: ConfigurationError.self) {
            try load(.only(directories.path + "/file", shipped: low))
        }
        #expect(file.reason == "not a directory; --config takes the one of retryd.toml")
    }

    @Test
    func whatCannotBeReadIsNamed() throws {
        // Works for root too, to whom no permission bits apply.
        try directories.makeDirectory("high/retryd.toml")
        let error = try #require(throws: ConfigurationError.self) { try load() }
        #expect(error.description == "\(high)/retryd.toml: Is a directory; mend or remove it")
    }

    @Test
    func warningsAndErrorsKeepTheirPlace() throws {
        try directories.write("low/retryd.toml", "[command]\nallow-users = [\"gone\"]\n")
        #expect(
            try load().warnings == ["\(low)/retryd.toml:2:16: allow-users: no user \"gone\""])
        try directories.write("high/retryd.toml.d/x.toml", "[limits]\noperations = 0\n")
        let error = try #require(throws: ConfigurationError.self) { try load() }
        #expect(error.file == high + "/retryd.toml.d/x.toml")
        #expect(error.line == 2)
        #expect(error.column == 14)
    }

    @Test
    func theHostKnowsRoot() {
        #expect(NameResolver.host.user("root") == 0)
        #expect(NameResolver.host.group("root") == 0)
        #expect(NameResolver.host.user("no such user") == nil)
        #expect(NameResolver.host.group("no such group") == nil)
    }
}
