import Testing

/// New configuration under a real systemd: by every way there is, taken or refused.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct ReloadTests {
    private static let ways = [
        "systemctl reload retryd", "retryctl reload",
        "retryctl call io.systemd.service.Reload",
    ]
    private static let file = "/etc/retryd/retryd.toml.d/local.toml"

    @Test
    func aRefusedOneIsToldInFourPlacesAndChangesNothing() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        for way in ReloadTests.ways {
            let since = try box.succeed("date +%s.%N").output.filter { $0 != "\n" }
            try box.write(ReloadTests.file, "[policy.default]\nmax-attemts = 3")
            let refused = try box.run(way)
            #expect(refused.status != 0, "\(refused)")
            if !way.hasPrefix("systemctl") {
                #expect(refused.errors.contains("\(ReloadTests.file):2:"), "\(refused)")
            }
            let state = try box.properties(of: "retryd", "ActiveState", "StatusText", "SubState")
            #expect(state["ActiveState"] == "active", "\(way)")
            #expect(state["StatusText"]?.contains("\(ReloadTests.file):2:") == true, "\(state)")
            try box.succeed("journalctl --sync")
            let told = try box.succeed(
                "journalctl --since @\(since) -o cat MESSAGE_ID=b2e1ced2c0a145d4aedc326474d5bd91")
            #expect(told.lines.count == 1, "\(way): \(told)")
            #expect(told.output.contains("max-attempts"), "\(told)")
            try box.succeed("retryctl submit --queue q --http-status 503")

            try box.succeed("rm \(ReloadTests.file) && \(way)")
            try box.await("! systemctl show -P StatusText retryd | grep refused")
        }
        // A signal has no answer; the other places have it.
        try box.write(ReloadTests.file, "nonsense = 1")
        try box.succeed("systemctl kill --kill-whom=main --signal=HUP retryd")
        try box.await("systemctl show -P StatusText retryd | grep '\(ReloadTests.file):1:'")
        try box.await("systemctl is-active retryd")
    }

    @Test
    func aTakenOneIsInForceWhenTheCommandEnds() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        try box.write(ReloadTests.file, "[policy.other]\ninitial = \"1s\"")
        try box.succeed("systemctl reload retryd")
        try box.succeed("retryctl submit --queue q --http-status 503 --policy other")
        #expect(try box.run("retryctl reload", as: "ann").status == 77)
    }

    /// systemd 253 and later reload by SIGHUP and wait for the answer: the shipped example.
    @Test
    func theDropInForNotifyReloadIsAUnitFile() throws {
        let box = try Box()
        try box.succeed(
            "mkdir -p /etc/systemd/system/retryd.service.d && "
                + "cp /usr/share/doc/retryd/examples/notify-reload.conf "
                + "/etc/systemd/system/retryd.service.d/")
        let version = try box.succeed(
            "systemctl --version | sed -n '1s/systemd \\([0-9]*\\).*/\\1/p'")
        guard let number = Int(version.output.filter(\.isNumber)), number >= 253 else {
            // What 252 does not know it passes over, and the rest holds.
            try box.succeed("systemctl daemon-reload && systemctl start retryd")
            return
        }
        try box.succeed("systemctl daemon-reload && systemctl start retryd")
        #expect(try box.properties(of: "retryd", "Type")["Type"] == "notify-reload")
        try box.succeed("systemctl reload retryd && systemctl is-active retryd")
    }

    @Test
    func theLogLevelIsSetAtOnce() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        #expect(try box.succeed("retryctl log-level").output == "info\n")
        try box.succeed("retryctl log-level debug")
        #expect(try box.succeed("retryctl log-level").output == "debug\n")
        #expect(try box.run("retryctl log-level debug", as: "ann").status == 77)
        try box.succeed("retryctl call io.systemd.service.SetLogLevel '{\"level\": 4}'")
        #expect(try box.succeed("retryctl log-level").output == "warning\n")
        try box.succeed("retryctl reload")
        #expect(try box.succeed("retryctl log-level").output == "info\n")
        let environment = try box.succeed("retryctl call io.systemd.service.GetEnvironment")
        #expect(environment.output.contains("NOTIFY_SOCKET="), "\(environment)")
    }
}
