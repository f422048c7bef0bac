import Testing

/// The life of the installed daemon under a real systemd.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct ServiceTests {
    /// A command of ann's that fails twice with 75 and then works.
    private static let flaky =
        "echo x >>attempts; test $(wc -l <attempts) -ge 3 || exit 75"

    @Test
    func aCallerStartsItThroughTheSocket() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.socket")
        #expect(try box.properties(of: "retryd", "ActiveState")["ActiveState"] == "inactive")

        let submitted = try box.succeed(
            "retryctl submit --queue mail --http-status 503 --json=short", as: "ann")
        #expect(submitted.output.contains("\"existing\":false"))

        // Type=notify: active means that READY=1 was received.
        let state = try box.properties(of: "retryd", "ActiveState", "SubState", "MainPID")
        #expect(state["ActiveState"] == "active")
        #expect(state["SubState"] == "running")
        // STATUS= is told once a second at most.
        try box.await("systemctl show --property=StatusText retryd | grep '=1 waiting'")
        let owner = try box.succeed("stat --format=%U /proc/\(state["MainPID"] ?? "0")").output
        #expect(owner == "retryd\n")

        // Inside the sandbox too the kernel says who called.
        let ann = try box.succeed("id --user ann").output.filter(\.isNumber)
        let list = try box.succeed("retryctl list --json=short", as: "ann")
        #expect(list.output.contains("\"owner_uid\":\(ann),"), "\(list)")
    }

    @Test
    func aKilledDaemonComesBackAndForgetsNothing() throws {
        let box = try Box()
        try box.succeed("systemctl enable --now retryd.service retryd-exec.service")
        let run = try box.run(
            "retryctl run --key flaky -- sh -c '\(ServiceTests.flaky)'", as: "ann")
        #expect(run.status == 75, "\(run)")

        try box.succeed("systemctl kill --signal=KILL --kill-whom=main retryd")
        try box.await("test $(wc -l <attempts) -eq 3", as: "ann", withinSeconds: 60)
        try box.await(
            "retryctl list --json=short | grep '\"key\":\"flaky\".*\"state\":\"succeeded\"'",
            as: "ann")
        #expect(try box.properties(of: "retryd", "NRestarts")["NRestarts"] == "1")
        #expect(try box.succeed("wc -l <attempts", as: "ann").output == "3\n")
    }

    /// Netlink works in the sandbox; the box has a network of its own.
    @Test
    func theNetworkIsFollowedInsideTheSandbox() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        try box.await("retryctl signals --json=short | grep '\"network\".*\"on\":false'")
        try box.succeed("ip link set lo up && ip route add default dev lo")
        try box.await("retryctl signals --json=short | grep '\"network\".*\"on\":true'")
        try box.succeed("ip route del default")
        try box.await("retryctl signals --json=short | grep '\"network\".*\"on\":false'")
    }

    @Test
    func theSocketStaysWhenTheDaemonStops() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        try box.succeed("systemctl stop retryd.service")
        #expect(try box.properties(of: "retryd", "Result")["Result"] == "success")
        try box.succeed("retryctl status", as: "ann")
        #expect(try box.properties(of: "retryd", "ActiveState")["ActiveState"] == "active")
    }

    @Test
    func aBrokenRuleIsRefusedAndTheOldOnesStay() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        try box.succeed("mkdir -p /etc/retryd/rules.d")
        try box.succeed("echo '[[rule]' >/etc/retryd/rules.d/local.toml")
        #expect(try box.run("systemctl reload retryd").status != 0)
        #expect(try box.properties(of: "retryd", "ActiveState")["ActiveState"] == "active")
        let refused = try box.journal("MESSAGE_ID=b2e1ced2c0a145d4aedc326474d5bd91")
        #expect(refused.last?["MESSAGE"]?.contains("/etc/retryd/rules.d/local.toml:1:") == true)
        try box.succeed("retryctl submit --queue q --http-status 503", as: "ann")

        try box.succeed("rm /etc/retryd/rules.d/local.toml && systemctl reload retryd")
    }

    @Test
    func theJournalIsReadByField() throws {
        let box = try Box()
        try box.succeed("systemctl enable --now retryd.service retryd-exec.service")
        let run = try box.run(
            "retryctl run --key flaky -- sh -c '\(ServiceTests.flaky)'", as: "ann")
        #expect(run.status == 75, "\(run)")
        try box.await("retryctl list --json=short | grep '\"state\":\"succeeded\"'", as: "ann")

        let accepted = try box.journal("MESSAGE_ID=0442db35f5b34e0eb68723d073a89a1f")
        let first = try #require(accepted.first)
        #expect(first["RETRYD_QUEUE"] == "command")
        #expect(first["RETRYD_DISPOSITION"] == "retry")
        #expect(first["_SYSTEMD_UNIT"] == "retryd.service")
        let operation = try #require(first["RETRYD_OPERATION"])
        let kinds = try box.journal("RETRYD_OPERATION=\(operation)").map { $0["MESSAGE_ID"] }
        #expect(kinds.first == "0442db35f5b34e0eb68723d073a89a1f")
        #expect(kinds.last == "9cec7e478d474202b2d0fce9eb77d7da")

        let explained = try box.succeed("journalctl -x --no-pager RETRYD_OPERATION=\(operation)")
        #expect(explained.output.contains("retryctl log \(operation)"), "\(explained)")
    }
}
