import Testing

/// A user's own daemon under a real user manager.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct UserServiceTests {
    /// A box in which ann's manager runs, and a line that runs something in it.
    private func box() throws -> Box {
        let box = try Box()
        try box.succeed("systemctl start systemd-logind && loginctl enable-linger ann")
        try box.await("test -S /run/user/$(id -u ann)/bus")
        return box
    }

    private func ann(_ line: String) -> String {
        "export XDG_RUNTIME_DIR=/run/user/$(id -u); "
            + "export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus; \(line)"
    }

    @Test
    func itIsStartedByItsSocketAndKeepsToItsUser() throws {
        let box = try box()
        try box.succeed(ann("systemctl --user enable --now retryd.socket"), as: "ann")
        #expect(
            try box.run(ann("systemctl --user is-active retryd.service"), as: "ann").status == 3)
        try box.succeed(
            ann("mkdir -p ~/.config/retryd/retryd.toml.d; echo '[policy.own]' >"
                + "~/.config/retryd/retryd.toml.d/own.toml"), as: "ann")
        // The first call starts the daemon, which reads ann's configuration.
        try box.succeed(
            ann("retryctl --user submit --queue q --http-status 503 --policy own"), as: "ann")
        let state = try box.succeed(
            ann("systemctl --user show -P ActiveState retryd"), as: "ann")
        #expect(state.output == "active\n", "\(state)")
        try box.succeed("test -f /home/ann/.local/state/retryd/retryd.sqlite")
        #expect(
            try box.succeed("stat -c '%U %a' /run/user/*/retryd/io.retryd").output == "ann 600\n")
        // Not root's either, by its rights; and nobody's by default.
        #expect(try box.run("retryctl status", as: "ann").status == 69)

        try box.write("/home/ann/.config/retryd/retryd.toml.d/own.toml", "nonsense = 1")
        #expect(try box.run(ann("systemctl --user reload retryd"), as: "ann").status != 0)
        try box.succeed(ann("systemctl --user is-active retryd"), as: "ann")
    }

    @Test
    func itsCommandsAndUnitsRunAsTheUserOnly() throws {
        let box = try box()
        try box.succeed(
            ann("mkdir -p ~/.config/retryd ~/.config/systemd/user; printf '[policy.default]\\n"
                + "initial = \"200ms\"\\nfloor = \"100ms\"\\n' >~/.config/retryd/retryd.toml"),
            as: "ann")
        try box.write(
            "/home/ann/.config/systemd/user/flaky.service",
            "[Unit]\nOnFailure=retryd@%n.service\n[Service]\nType=oneshot\n"
                + "ExecStart=/bin/sh -c 'test -e %h/there || { touch %h/there; false; }'")
        try box.succeed(ann("systemctl --user daemon-reload"), as: "ann")
        try box.succeed(
            ann("systemctl --user enable --now retryd.socket retryd-exec.service"), as: "ann")
        let run = try box.run(
            ann("retryctl --user run -- sh -c 'test $RETRYD_ATTEMPT || exit 75; "
                + "id -u >who; grep NoNewPrivs /proc/self/status >>who'"), as: "ann")
        #expect(run.status == 75, "\(run)")
        try box.await("test -s who", as: "ann")
        let uid = try box.succeed("id -u ann").output
        #expect(try box.succeed("head -n 1 who", as: "ann").output == uid)
        let process = try box.succeed(
            ann("systemctl --user show -P MainPID retryd-exec"), as: "ann").output
        let effective = try box.succeed(
            "grep CapEff /proc/\(process.filter(\.isNumber))/status").output
        #expect(effective == "CapEff:\t0000000000000000\n")

        #expect(try box.run(ann("systemctl --user start flaky"), as: "ann").status != 0)
        try box.await(
            ann("retryctl --user list --json=short | "
                + "grep '\"key\":\"flaky.service\".*\"state\":\"succeeded\"'"), as: "ann")
    }
}
