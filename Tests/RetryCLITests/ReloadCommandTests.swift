import Support
import Testing

@Suite struct ReloadCommandTests {
    @Test func reloads() throws {
        let daemon = try Daemon(answering: #"{"rules":9,"rules_hash":"ab"}"#)
        #expect(daemon.run("reload").output == "9 rules in force (ab)\n")
        let refusing = try Daemon { _ in
            [
                .error(
                    "io.retryd.ConfigurationRefused",
                    #"{"file":"/etc/retryd/x.toml","line":3,"column":5,"reason":"no key \"a\""}"#)
            ]
        }
        let tool = refusing.run("reload")
        #expect(tool.code == 1)
        #expect(
            tool.messages
                == "retryctl: /etc/retryd/x.toml:3:5: no key \"a\"; what was in force stays\n")
    }
}
