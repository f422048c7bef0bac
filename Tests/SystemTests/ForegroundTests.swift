import Testing

/// Foreground by logind's sessions, real ones.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct ForegroundTests {
    /// A box in which ann has an operation that waits for her foreground.
    private func box(settings: String = "") throws -> Box {
        let box = try Box()
        try box.write("/etc/retryd/retryd.toml", settings)
        try box.succeed("systemctl start retryd")
        try box.submitForForeground()
        return box
    }

    @Test
    func operationsFollowTheSessionOfTheirUser() throws {
        let box = try box(settings: "[policy.default]\ninitial = \"1ms\"\nfloor = \"1ms\"")
        // logind comes after the daemon, as at a boot it may.
        try box.succeed("systemctl start systemd-logind")
        try box.await("retryctl why 1 | grep 'foreground'", as: "ann")
        let status = try box.succeed("retryctl status").output
        #expect(status.contains("1 waiting (1 for foreground)"), "\(status)")

        try box.beginSession("desk", seat: "seat0", type: "wayland")
        try box.await("retryctl list --state ready --no-legend | grep .", as: "ann")

        let session = try box.succeed("loginctl list-sessions --no-legend | awk '{print $1}'")
        let object = "/org/freedesktop/login1/session/_3\(session.output.filter(\.isNumber))"
        let lock = "busctl call org.freedesktop.login1 \(object) org.freedesktop.login1.Session "
            + "SetLockedHint b "
        // Ready operations stay so; another one shows the level.
        try box.succeed(lock + "true")
        try box.await("retryctl signals | grep 'foreground.* off'", as: "ann")
        try box.succeed(lock + "false")
        try box.await("retryctl signals | grep 'foreground.* on'", as: "ann")
        try box.succeed("systemctl stop desk")
        try box.await("retryctl signals | grep 'foreground.* off'", as: "ann")

        // The level stands in the store; what ended while the daemon was away falls.
        try box.beginSession("desk", seat: "seat0", type: "x11")
        try box.await("retryctl signals | grep 'foreground.* on'", as: "ann")
        try box.succeed("systemctl stop retryd.service && systemctl stop desk")
        try box.await("! loginctl list-sessions | grep seat0")
        try box.await("retryctl signals | grep 'foreground.* off'", as: "ann")
    }

    @Test
    func cronAndSshDoNotCount() throws {
        let box = try box()
        try box.succeed("systemctl start systemd-logind")
        try box.beginSession("job", seat: "", type: "unspecified", sessionClass: "background")
        // As sshd's: of no seat.
        try box.beginSession("remote", seat: "", type: "tty")
        try box.await("test $(loginctl list-sessions --no-legend | wc -l) -eq 2")
        try box.succeed("retryctl signals | grep 'foreground.* off'", as: "ann")
        // Unless the administrator says so.
        try box.write("/etc/retryd/retryd.toml", "[signals]\nfollow-sessions = \"remote\"")
        try box.succeed("retryctl reload")
        try box.await("retryctl signals | grep 'foreground.* on'", as: "ann")
        try box.succeed("systemctl stop remote")
        try box.await("retryctl signals | grep 'foreground.* off'", as: "ann")
    }

    @Test
    func withoutDBusItGoesOnAndSaysSoOnce() throws {
        let box = try Box()
        try box.write("/etc/retryd/retryd.toml", "[policy.default]\nmax-hold = \"3s\"")
        try box.succeed(
            "systemctl stop dbus.socket dbus.service; rm -f /run/dbus/system_bus_socket")
        try box.succeed("systemctl start retryd")
        try box.submitForForeground()
        let why = try box.succeed("retryctl why 1", as: "ann")
        #expect(why.output.contains("retryctl foreground"), "\(why)")
        // Nobody comes: it is parked, and not lost.
        try box.await("retryctl list --state parked --no-legend | grep .", as: "ann")
        try box.succeed("journalctl --sync")
        let told = try box.succeed(
            "journalctl -u retryd -o cat | grep -c 'No sessions are followed'")
        #expect(told.output == "1\n")
        // It comes back by itself.
        try box.succeed("systemctl start dbus.socket systemd-logind")
        try box.beginSession("desk", seat: "seat0", type: "wayland")
        try box.await("retryctl signals | grep 'foreground.* on'", as: "ann")
    }
}

extension Box {
    /// An operation of ann's that waits for her foreground.
    func submitForForeground() throws {
        let failure = "{\\\"retry_requested\\\":\\\"when-foreground\\\"}"
        try succeed(
            "echo \"\(failure)\" | retryctl submit --queue q --error-json -", as: "ann")
    }

    /// Begins a session of ann's as a login manager does, by PAM; it lasts as long as the unit.
    func beginSession(
        _ unit: String, seat: String, type: String, sessionClass: String = "user"
    ) throws {
        try succeed(
            "systemctl reset-failed \(unit) 2>/dev/null; systemd-run --quiet --unit=\(unit) "
                + "-p PAMName=login -p User=ann -E XDG_SEAT=\(seat) "
                + "-E XDG_SESSION_TYPE=\(type) -E XDG_SESSION_CLASS=\(sessionClass) sleep 1000")
        try self.await("loginctl list-sessions --no-legend | grep ann")
    }
}
