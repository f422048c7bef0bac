import Support
import SystemKit
import Testing

@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct InstallationTests {
    private static let units = [
        "retryd-exec.service", "retryd.service", "retryd.socket", "retryd@.service",
    ]
    private static let files =
        [
            "bin/retryctl", "bin/retryd", "bin/retryd-exec", "lib/retryd/retryd.toml",
            "lib/systemd/catalog/retryd.catalog", "lib/systemd/system-preset/90-retryd.preset",
            "lib/systemd/user-preset/90-retryd.preset", "lib/sysusers.d/retryd.conf",
            "lib/tmpfiles.d/retryd.conf",
        ] + units.flatMap { ["lib/systemd/system/\($0)", "lib/systemd/user/\($0)"] }

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
                "ExecStart=/opt/retryd/bin/retryd-exec --units",
                "ExecStart=/opt/retryd/bin/retryctl --quiet unit-failed %i",
                "ExecStart=/opt/retryd/bin/retryd --user --boot-id %b",
                "ExecReload=/opt/retryd/bin/retryctl --user reload",
                "ExecStart=/opt/retryd/bin/retryd-exec --user --units",
                "ExecStart=/opt/retryd/bin/retryctl --user --quiet unit-failed %i",
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
        for (option, directory) in [("", "system"), ("--user", "user")] {
            let units = InstallationTests.units.map { "/usr/lib/systemd/\(directory)/\($0)" }
                .joined(separator: " ").replacing("retryd@.service", with: "retryd@x.service")
            let verified = try box.run(
                "XDG_RUNTIME_DIR=/run systemd-analyze \(option) verify \(units)")
            #expect(verified.status == 0)
            #expect(verified.output + verified.errors == "")
        }
        #expect(try box.succeed("stat --format='%U %G %a' /run/retryd").output == "root root 755\n")
        #expect(try box.succeed("id --user --name retryd").output == "retryd\n")
        try box.succeed("getent group retryd-admin")
        try box.succeed("journalctl --list-catalog | grep retryd:")
        // 1.0 and no more: the number is in tenths.
        try box.succeed(
            "systemd-analyze security --threshold=10 --no-pager retryd.service >/dev/null")
    }

    @Test
    func anUpgradeOfARunningOneLosesNothing() throws {
        let box = try Box()
        try box.succeed("systemctl preset retryd.socket retryd.service retryd-exec.service")
        try box.succeed("systemctl start retryd.service retryd-exec.service")
        let run = try box.run(
            "retryctl run -- sh -c 'test $RETRYD_ATTEMPT || exit 75; sleep 2; echo x >>log'",
            as: "ann")
        #expect(run.status == 75, "\(run)")
        try box.succeed("retryctl submit --queue q --http-status 503", as: "ann")
        try box.await("retryctl list --json=short | grep '\"state\":\"leased\"'", as: "ann")

        let installed = try box.succeed("make --directory /tree install")
        #expect(installed.output.contains("systemctl restart retryd retryd-exec"))
        // Until then the old one serves.
        try box.succeed("retryctl submit --queue q --http-status 503", as: "ann")
        try box.succeed("systemctl restart retryd retryd-exec")
        #expect(try box.succeed("retryctl list --no-legend", as: "ann").lines.count == 3)
        try box.await("retryctl list --json=short | grep '\"state\":\"succeeded\"'", as: "ann")
        #expect(try box.succeed("cat log", as: "ann").output == "x\n")
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
