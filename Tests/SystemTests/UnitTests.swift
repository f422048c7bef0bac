import Testing

/// OnFailure=retryd@%n.service under a real systemd.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct UnitTests {
    private static let policy = """
        [policy.default]
        initial = "200ms"
        floor = "100ms"
        max = "500ms"
        reset-after = "1s"
        """

    /// A box whose retries come quickly, and in which a service has proven itself after a second.
    private func box(_ policy: String = UnitTests.policy) throws -> Box {
        let box = try Box()
        try box.write("/etc/retryd/retryd.toml.d/quick.toml", policy)
        try box.write(
            "/etc/systemd/system/retryd-exec.service.d/quick.conf",
            "[Service]\nExecStart=\nExecStart=/usr/bin/retryd-exec --units")
        return box
    }

    private func start(_ box: Box) throws {
        try box.succeed("systemctl daemon-reload")
        try box.succeed("systemctl enable --now retryd.service retryd-exec.service")
    }

    private func unit(_ box: Box, _ name: String, _ service: String) throws {
        try box.write(
            "/etc/systemd/system/\(name)",
            "[Unit]\nOnFailure=retryd@%n.service\n[Service]\n\(service)")
    }

    @Test
    func aUnitIsStartedAgainUntilItsDependencyIsThere() throws {
        let box = try box()
        try unit(
            box, "flaky.service",
            "Type=oneshot\nExecStart=/bin/sh -c 'echo x >>/run/flaky; test -e /run/there'")
        try start(box)

        #expect(try box.run("systemctl start flaky").status != 0)
        try box.await("test $(wc -l </run/flaky) -ge 3")
        let waiting = try box.succeed("retryctl list --json=short")
        #expect(waiting.output.contains("\"key\":\"flaky.service\""), "\(waiting)")
        try box.succeed("retryctl show 1 | grep 'result exit-code'")
        // One that fails by somebody else's hand joins the one that waits.
        try box.succeed("systemctl stop retryd-exec; systemctl start flaky; true")
        try box.await("! systemctl list-units --state=activating 'retryd@*' | grep retryd@")
        #expect(try box.succeed("retryctl list --json=short").lines.count == 1)

        try box.succeed("touch /run/there && systemctl start retryd-exec")
        try box.await("retryctl list --json=short | grep '\"state\":\"succeeded\"'")
        let end = try box.succeed("cat /run/flaky").lines.count
        #expect(try box.properties(of: "flaky", "Result")["Result"] == "success")

        // Its success ended the operation: the next failure begins anew.
        try box.succeed("rm /run/there; ! systemctl start flaky && touch /run/there")
        try box.await("retryctl list --json=short | grep '\"id\":2.*\"state\":\"succeeded\"'")
        #expect(try box.succeed("cat /run/flaky").lines.count >= end + 2)
        #expect(try box.run("retryctl list --json=short | grep '\"id\":3'").status == 1)
    }

    @Test
    func aHungServiceAndATimersJobAreStartedAgain() throws {
        let box = try box()
        try unit(
            box, "hung.service",
            "Type=notify\nNotifyAccess=all\nWatchdogSec=1s\nExecStart=/bin/sh -c '"
                + "systemd-notify --ready; test -e /run/hung || { touch /run/hung; sleep 99; }; "
                + "while :; do systemd-notify WATCHDOG=1; sleep 0.3; done'")
        try unit(
            box, "job.service",
            "Type=oneshot\nExecStart=/bin/sh -c 'test -e /run/job || { touch /run/job; exit 75; }'")
        try box.write(
            "/etc/systemd/system/job.timer", "[Timer]\nOnActiveSec=0\nAccuracySec=1ms")
        try start(box)

        try box.succeed("systemctl start job.timer hung.service")
        for key in ["job.service", "hung.service"] {
            try box.await(
                "retryctl list --json=short | grep '\"key\":\"\(key)\".*\"state\":\"succeeded\"'")
        }
        try box.succeed("systemctl is-active hung")
        let hung = try box.journal("RETRYD_KEY=hung.service")
        #expect(hung.first?["RETRYD_RULE"] == "unit-hung", "\(hung)")
    }

    /// Where the box has the memory controller of the unified hierarchy, systemd limits the unit
    /// and counts. Elsewhere the kernel kills in an old memory group, and the count that systemd
    /// reads in `memory.events` is written beside it.
    private static let memoryGroup = """
        grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null && exit
        mkdir -p /run/memory
        mount --bind /sys/fs/cgroup/memory /run/memory
        mount --make-private /run/memory
        mount -o remount,bind,rw /run/memory
        mkdir -p /run/memory/retryd-hog
        echo 20M >/run/memory/retryd-hog/memory.limit_in_bytes
        mount -t tmpfs tmpfs /sys/fs/cgroup/memory
        mkdir -p /sys/fs/cgroup/memory/system.slice/hog.service
        echo oom_kill 0 >/sys/fs/cgroup/memory/system.slice/hog.service/memory.events

        """
    private static let hog = """
        test -e /run/hog && exec sleep 99
        touch /run/hog
        events=/sys/fs/cgroup/memory/system.slice/hog.service/memory.events
        if test -e $events; then
            echo oom_kill 1 >$events
            echo $$ >/run/memory/retryd-hog/cgroup.procs
        fi
        exec python3 -c 'bytearray(200_000_000); print("had room")'

        """

    @Test
    func aServiceThatTheKernelKilledForMemoryIsStartedAgain() throws {
        let box = try box()
        try box.write("/run/group", UnitTests.memoryGroup)
        try box.write("/run/hog.sh", UnitTests.hog)
        try box.succeed("sh -e /run/group")
        try unit(box, "hog.service", "MemoryMax=20M\nMemorySwapMax=0\nExecStart=sh /run/hog.sh")
        try start(box)
        try box.succeed("systemctl start hog")
        try box.await("retryctl list --json=short | grep '\"key\":\"hog.service\"'")
        try box.succeed("retryctl show 1 | grep 'result oom-kill'")
        try box.await("retryctl list --json=short | grep '\"state\":\"succeeded\"'")
        try box.succeed("systemctl is-active hog; ! journalctl -u hog | grep 'had room'")
        let told = try box.journal("RETRYD_KEY=hog.service")
        #expect(told.first?["RETRYD_RULE"] == "unit-oom-killed", "\(told)")
    }

    @Test
    func aNameThatIsNoneAndABusThatHangsLeaveNothingLeased() throws {
        let box = try box()
        try unit(box, "late.service", "Type=oneshot\nExecStart=/bin/sh -c 'test -e /run/late'")
        try start(box)
        let refused = try box.run("retryctl unit-failed late")
        #expect(refused.status != 0)
        #expect(refused.errors.contains("name of a unit with its suffix"), "\(refused)")
        // One that only systemd knows to be none: its refusal is an answer.
        try box.succeed("retryctl unit-failed late.sh")
        try box.await("retryctl list --json=short | grep '\"id\":1,.*\"state\":\"dead\"'")
        // A bus that does not answer for longer than a call waits.
        try box.succeed("systemctl kill --kill-whom=main --signal=STOP dbus")
        try box.succeed("touch /run/late && retryctl unit-failed late.service")
        try box.succeed("sleep 27 && systemctl kill --kill-whom=main --signal=CONT dbus")
        try box.await("retryctl list --json=short | grep '\"id\":2,.*\"state\":\"succeeded\"'")
    }

    @Test
    func givingUpIsToldOnceAndStays() throws {
        let box = try box(UnitTests.policy + "\nmax-attempts = 3")
        try unit(
            box, "broken.service",
            "Type=oneshot\nExecStart=/bin/sh -c 'echo x >>/run/broken; false'")
        try start(box)
        #expect(try box.run("systemctl start broken").status != 0)
        try box.await("retryctl list --json=short | grep '\"state\":\"dead\"'")
        // Of the last attempt too its OnFailure= hands the failure over: known by its invocation.
        try box.await("systemctl list-units --state=active,activating 'retryd@*' | grep '^0 '")
        try box.succeed("retryctl list --json=short | grep '\"state\":\"dead\"'")
        #expect(try box.succeed("cat /run/broken").lines.count == 3)
        let notices = try box.journal("MESSAGE_ID=191b8e3b5b3a4a30820929cd845ac79f")
        #expect(notices.count == 1)
        #expect(notices.first?["RETRYD_KEY"] == "broken.service")
    }

    @Test
    func unitsAreForRootAndAdmins() throws {
        let box = try box()
        try start(box)
        let refused = try box.run("retryctl unit-failed cron.service", as: "ann")
        #expect(refused.status == 77)
        #expect(refused.errors.contains("retryd-admin"), "\(refused)")
        // What systemd does not know is told by its own name.
        try box.succeed("retryctl unit-failed no-such.service")
        try box.await("retryctl show 1 | grep NoSuchUnit")
    }
}
