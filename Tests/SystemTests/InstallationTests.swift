import Support
import SystemKit
import Testing

@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct InstallationTests {
    private static let files = [
        "bin/retryctl", "bin/retryd", "bin/retryd-exec", "lib/retryd/retryd.toml",
        "lib/systemd/catalog/retryd.catalog", "lib/systemd/system/retryd-exec.service",
        "lib/systemd/system/retryd.service", "lib/systemd/system/retryd.socket",
        "lib/sysusers.d/retryd.conf", "lib/tmpfiles.d/retryd.conf",
    ]

    /// The files below a directory, rules and documents left out: their names change freely.
    private func installed(_ directory: String) throws -> [String] {
        let found = try execute("/usr/bin/find", [directory, "-type", "f", "-printf", "%P\n"])
        return found.lines.map(String.init).sorted().filter {
            !$0.contains("/rules.d/") && !$0.contains("/share/doc/")
        }
    }

    @Test
    func goesWhereItIsTold() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.path
        let place = ["DESTDIR=\(directory)", "PREFIX=/opt/retryd"]
        let made = try execute("/usr/bin/make", ["--directory", Tree.root, "install"] + place)
        try #require(made.status == 0, "\(made)")
        #expect(
            try installed(directory) == InstallationTests.files.map { "opt/retryd/" + $0 }.sorted())
        let units = try execute(
            "/bin/grep", ["-rhE", "^Exec|^Documentation", directory + "/opt/retryd/lib/systemd"])
        #expect(
            Set(units.lines) == [
                "ExecStart=/opt/retryd/bin/retryd --boot-id %b",
                "ExecReload=/opt/retryd/bin/retryctl reload",
                "ExecStart=/opt/retryd/bin/retryd-exec",
                "Documentation=file:///opt/retryd/share/doc/retryd/README.md",
            ])
        let removed = try execute("/usr/bin/make", ["--directory", Tree.root, "uninstall"] + place)
        try #require(removed.status == 0, "\(removed)")
        #expect(try execute("/usr/bin/find", [directory, "-type", "f"]).output == "")
    }

    @Test
    func programsNeedNoToolchain() throws {
        for program in ["retryd", "retryctl", "retryd-exec"] {
            let path = "\(Tree.root)/.build/release/\(program)"
            let libraries = try execute("/usr/bin/ldd", [path])
            try #require(libraries.status == 0, "\(libraries)")
            for foreign in ["libswift", "Foundation", "dispatch", "icu", "not found"] {
                #expect(!libraries.output.contains(foreign), "\(program): \(libraries.output)")
            }
        }
    }

    @Test
    func systemdTakesItWithoutAWord() throws {
        let box = try Box()
        let units = "/usr/lib/systemd/system/retryd.socket /usr/lib/systemd/system/retryd.service"
            + " /usr/lib/systemd/system/retryd-exec.service"
        let verified = try box.run("systemd-analyze verify \(units)")
        #expect(verified.status == 0)
        #expect(verified.output + verified.errors == "")
        #expect(try box.succeed("stat --format='%U %G %a' /run/retryd").output == "root root 755\n")
        #expect(try box.succeed("id --user --name retryd").output == "retryd\n")
        try box.succeed("getent group retryd-admin")
        try box.succeed("journalctl --list-catalog | grep retryd:")
        // 1.0 and no more: the number is in tenths.
        try box.succeed(
            "systemd-analyze security --threshold=10 --no-pager retryd.service >/dev/null")
    }

    @Test
    func uninstallingStopsAndKeepsWhatWaits() throws {
        let box = try Box()
        try box.succeed("systemctl enable --now retryd.service retryd-exec.service")
        try box.succeed("make --directory /tree uninstall")
        for unit in ["retryd.socket", "retryd.service", "retryd-exec.service"] {
            let state = try box.properties(of: unit, "ActiveState", "LoadState")
            #expect(state["ActiveState"] == "inactive", "\(unit)")
            #expect(state["LoadState"] == "not-found", "\(unit)")
        }
        try box.succeed("test -d /var/lib/retryd && ! test -e /usr/bin/retryd")
    }
}
