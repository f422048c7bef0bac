import Testing

@testable import RetryConfig

@Suite
struct SearchPathTests {
    @Test
    func systemLooksWhereSystemdLooks() {
        #expect(
            SearchPath.system(shipped: "/usr/lib/retryd").directories == [
                "/etc/retryd", "/run/retryd", "/usr/local/lib/retryd", "/usr/lib/retryd",
            ])
    }

    @Test
    func aDirectoryCountsOnce() {
        #expect(
            SearchPath.system(shipped: "/usr/local/lib/retryd").directories == [
                "/etc/retryd", "/run/retryd", "/usr/local/lib/retryd",
            ])
        #expect(
            SearchPath.only("/tree/config", shipped: "/tree/config").directories == [
                "/tree/config"
            ])
    }

    @Test
    func aUserComesBeforeTheHost() {
        let path = SearchPath.user(configurationHome: "/home/ann/.config", shipped: "/s")
        #expect(path.directories.first == "/home/ann/.config/retryd")
        #expect(path.directories.dropFirst() == SearchPath.system(shipped: "/s").directories[...])
    }

    @Test
    func aPrivateDirectoryKeepsTheShippedRules() {
        let path = SearchPath.only("/private", shipped: "/usr/lib/retryd")
        #expect(path.directories == ["/private", "/usr/lib/retryd"])
        #expect(path.isFirstRequired)
        #expect(!SearchPath.system(shipped: "/usr/lib/retryd").isFirstRequired)
    }

    @Test(arguments: [
        ("/usr/bin/retryd", "/usr/lib/retryd"),
        ("/usr/local/bin/retryd", "/usr/local/lib/retryd"),
        ("/opt/retryd/bin/retryctl", "/opt/retryd/lib/retryd"),
        ("/bin/retryd", "/lib/retryd"),
        ("/home/ann/retryd/.build/x86_64-unknown-linux-gnu/release/retryd",
         "/home/ann/retryd/config"),
        ("/home/ann/retryd/.build-tsan/debug/retryd", "/home/ann/retryd/config"),
        ("/somewhere/retryd", "/usr/lib/retryd"),
        ("retryd", "/usr/lib/retryd"),
    ])
    func findsWhatCameWithTheProgram(executable: String, directory: String) {
        #expect(SearchPath.shippedDirectory(executable: executable) == directory)
    }
}
