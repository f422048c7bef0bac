import Testing

/// What goes wrong around the daemon: a disk that hangs, a loop that hangs, a journal that does
/// not read, a second daemon, a store it may not write.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct TroubleTests {
    private static let storeTrouble = "MESSAGE_ID=3bb978f7b0da45a18d4a749de3f0e0e1"

    @Test
    func aDiskThatHangsIsToldAndNotKilledFor() throws {
        let box = try Box()
        try box.succeed(
            "cc -shared -fPIC -o /usr/local/lib/disk.so "
                + "/tree/Tests/IntegrationTests/Preload/disk.c -ldl")
        try box.write(
            "/etc/systemd/system/retryd.service.d/test.conf",
            "[Service]\nWatchdogSec=2s\nEnvironment=LD_PRELOAD=/usr/local/lib/disk.so "
                + "RETRYD_TEST_DISK=/run/disk")
        try box.succeed("touch /run/disk && systemctl daemon-reload && systemctl start retryd")
        let before = try box.properties(of: "retryd", "MainPID")
        try box.succeed("echo 'sync-delay 15000' >/run/disk")
        try box.succeed(
            "retryctl submit --queue q --http-status 503 >/run/answer 2>&1 </dev/null &")
        try box.await("systemctl show -P StatusText retryd | grep '^Waiting for the disk since '")
        // Said by the time it was 5 s; the watchdog had two chances to kill for it.
        #expect(try box.journal(TroubleTests.storeTrouble).count == 1)
        try box.succeed("! test -s /run/answer && >/run/disk")
        try box.await("test -s /run/answer")
        try box.await("systemctl show -P StatusText retryd | grep '^1 waiting'")
        let told = try box.journal(TroubleTests.storeTrouble).compactMap { $0["MESSAGE"] }
        #expect(told.count == 2)
        #expect(told.last?.contains("answered after ") == true, "\(told)")
        let after = try box.properties(of: "retryd", "MainPID", "NRestarts")
        #expect(after["MainPID"] == before["MainPID"])
        #expect(after["NRestarts"] == "0")
    }

    @Test
    func aLoopThatHangsIsKilledAndComesBackWithoutLoss() throws {
        let box = try Box()
        try box.write(
            "/etc/systemd/system/retryd.service.d/test.conf", "[Service]\nWatchdogSec=1s")
        try box.succeed("systemctl daemon-reload && systemctl start retryd")
        try box.succeed("retryctl submit --queue q --http-status 503")
        try box.succeed("systemctl kill --kill-whom=main --signal=STOP retryd")
        try box.await("test $(systemctl show -P NRestarts retryd) -ge 1")
        try box.await("systemctl is-active retryd")
        try box.succeed("journalctl -u retryd | grep 'Watchdog timeout'")
        try box.succeed("retryctl list --json=short | grep '\"id\":1'")
    }

    @Test
    func aStoppedJournalHoldsNobodyUp() throws {
        let box = try Box()
        // At debug every operation is an entry: far more than the queue takes.
        try box.write("/etc/retryd/retryd.toml", "[journal]\nlevel = \"debug\"")
        try box.write(
            "/etc/systemd/system/retryd.service.d/test.conf", "[Service]\nWatchdogSec=3s")
        try box.succeed("systemctl daemon-reload && systemctl start retryd")
        let usual = try Load.run(in: box, seconds: 3)
        let stopped = try Load.run(
            in: box, seconds: 11,
            beside: "systemctl kill --kill-whom=main --signal=STOP systemd-journald; sleep 10; "
                + "grep '^State:.T' /proc/$(pidof systemd-journald)/status >/run/stopped; "
                + "systemctl kill --kill-whom=main --signal=CONT systemd-journald")
        try box.succeed("test -s /run/stopped")
        // Twice the usual, and a bit for a host that is busy with other tests.
        #expect(stopped.p99Ms < 2 * usual.p99Ms + 20, "\(usual) \(stopped)")
        #expect(try box.properties(of: "retryd", "NRestarts")["NRestarts"] == "0")
        // What found no room, or was left out to spare the journal, is counted.
        try box.await("journalctl -u retryd -o cat | grep -E 'dropped here|were not written'")
    }

    @Test
    func aSecondDaemonSaysWhoIsThere() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd")
        let second = try box.run(
            "runuser -u retryd -- retryd --state /var/lib/retryd --socket /run/second")
        #expect(second.status == 74)
        let first = try box.properties(of: "retryd", "MainPID")["MainPID"] ?? ""
        #expect(second.errors.contains("process \(first)"), "\(second)")
    }

    @Test
    func aStoreItMayNotWriteIsToldInThreePlaces() throws {
        let box = try Box()
        try box.write(
            "/etc/systemd/system/retryd.service.d/test.conf", "[Service]\nRestart=no")
        try box.succeed("systemctl daemon-reload")
        for (spoil, mend) in [
            // systemd corrects the directory's owner, not what lies in it.
            ("chown root /var/lib/retryd/*; chmod 600 /var/lib/retryd/*",
                "chown retryd /var/lib/retryd/*"),
            ("mount --bind -o ro /var/lib/retryd /var/lib/retryd", "umount /var/lib/retryd"),
        ] {
            try box.succeed("systemctl start retryd && systemctl stop retryd.service")
            try box.succeed("systemctl stop retryd.socket && \(spoil)")
            #expect(try box.run("systemctl start retryd.service").status != 0, "\(spoil)")
            let state = try box.properties(of: "retryd", "ExecMainStatus", "StatusText")
            #expect(state["ExecMainStatus"] == "74", "\(spoil)")
            #expect(state["StatusText"]?.contains("/var/lib/retryd") == true, "\(state)")
            try box.succeed("journalctl --sync")
            let sentence = state["StatusText"] ?? "none"
            let told = try box.succeed("journalctl -u retryd -o cat -p err")
            #expect(told.output.contains(sentence), "\(sentence)\n\(told)")
            try box.succeed(mend + "; systemctl reset-failed retryd.service retryd.socket")
        }
    }

    @Test
    func aRestartUnderLoadLosesNoAnsweredCall() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd")
        let load = try Load.run(
            in: box, seconds: 4,
            beside: "for i in 1 2 3; do sleep 0.7; systemctl restart retryd; done")
        let status = try box.succeed("retryctl list --no-legend | wc -l")
        // The last call may have been carried out without its answer.
        let count = try #require(Int(status.output.filter(\.isNumber)))
        #expect(count == load.answered, "\(load)")
    }

    /// `python3 many.py COUNT`: hands over 500 operations COUNT times.
    private static let many = """
        import json, socket, sys
        stream = socket.socket(socket.AF_UNIX)
        stream.connect("/run/retryd/io.retryd")
        item = {"operation": {"queue": "q"}, "failure": {"http": {"status": 503}}}
        call = json.dumps({"method": "io.retryd.SubmitMany",
            "parameters": {"items": [item] * 500}}).encode() + bytes(1)
        for _ in range(int(sys.argv[1])):
            stream.sendall(call)
            while not stream.recv(1 << 20).endswith(bytes(1)): pass
        """

    @Test
    func manyThatWaitDoNotHoldUpTheEnd() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd")
        try box.write("/run/many.py", TroubleTests.many)
        try box.succeed("python3 /run/many.py 200")
        let stopped = try box.succeed(
            "begin=$(date +%s%N); systemctl stop retryd.service; "
                + "echo $((($(date +%s%N) - begin) / 1000000))")
        let took = try #require(Int(stopped.output.filter(\.isNumber)))
        #expect(took < 1_000)
        #expect(try box.properties(of: "retryd", "Result")["Result"] == "success")
        try box.await("retryctl status | grep '^100,000 waiting'")
    }

    @Test
    func aLongStartIsToldAndWaitedFor() throws {
        let box = try Box()
        try box.succeed(
            "cc -shared -fPIC -o /usr/local/lib/disk.so "
                + "/tree/Tests/IntegrationTests/Preload/disk.c -ldl")
        try box.succeed("systemctl start retryd")
        try box.write("/run/many.py", TroubleTests.many)
        try box.succeed("python3 /run/many.py 40")
        try box.succeed("systemctl stop retryd.service retryd.socket")
        try box.write(
            "/etc/systemd/system/retryd.service.d/test.conf",
            "[Service]\nTimeoutStartSec=1s\nRestart=no\nEnvironment="
                + "LD_PRELOAD=/usr/local/lib/disk.so RETRYD_TEST_DISK=/run/disk")
        try box.succeed("echo 'read-delay 2' >/run/disk && systemctl daemon-reload")
        try box.succeed("systemctl start --no-block retryd.service")
        try box.await(
            "systemctl show -P StatusText retryd "
                + "| grep -E '^Reading /var/lib/retryd: [0-9,]+ operations so far$'")
        let state = try box.properties(of: "retryd", "ActiveState")["ActiveState"]
        #expect(state == "activating")
        try box.succeed(">/run/disk")
        try box.await("systemctl is-active retryd")
        try box.await("retryctl status | grep '^20,000 waiting'")
    }
}
