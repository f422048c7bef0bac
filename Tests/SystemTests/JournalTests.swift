import Testing

/// What stands in the journal of a booted system, by kind, priority and field.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct JournalTests {
    @Test
    func repeatsAreForDebugAndSummedUp() throws {
        let box = try Box()
        try box.write(
            "/etc/retryd/retryd.toml",
            "[policy.default]\ninitial = \"100ms\"\nfloor = \"100ms\"\nmax = \"100ms\"")
        try box.succeed("systemctl enable --now retryd.service retryd-exec.service")
        let run = try box.run(
            "retryctl run --key nightly --destination x.example -- "
                + "sh -c 'echo x >>log; exit 75'", as: "ann")
        #expect(run.status == 75, "\(run)")
        try box.await("test $(wc -l <log) -ge 4", as: "ann")

        let accepted = try box.journal("RETRYD_OPERATION=1")
        #expect(accepted.count == 1)
        let ann = try box.succeed("id --user ann").output.filter(\.isNumber)
        let expected = [
            "PRIORITY": "5", "RETRYD_KEY": "nightly", "RETRYD_QUEUE": "command",
            "RETRYD_OWNER_UID": ann, "RETRYD_DESTINATION": "x.example",
            "RETRYD_RULE": "exit-temporary", "RETRYD_DISPOSITION": "retry", "RETRYD_ATTEMPT": "1",
        ]
        for (field, value) in expected { #expect(accepted.first?[field] == value, "\(field)") }
        #expect(accepted.first?["RETRYD_NEXT_USEC"]?.count == 16)

        try box.succeed("retryctl log-level debug")
        try box.await("journalctl MESSAGE_ID=655da85c1d084533b964cdb17a94b025 | grep -q failed")
        let failed = try box.journal("MESSAGE_ID=655da85c1d084533b964cdb17a94b025")
        #expect(failed.first?["PRIORITY"] == "7")
        #expect(failed.first?["RETRYD_KEY"] == "nightly")

        // The end tells what the next ten minutes would have told.
        try box.succeed("systemctl stop retryd.service retryd.socket")
        let summary = try box.journal("MESSAGE_ID=b4c6d90e76d04c0a889e69177f7e39b7")
        #expect(summary.count == 1)
        #expect(summary.first?["PRIORITY"] == "5")
        #expect(summary.first?["RETRYD_DESTINATION"] == "x.example")
        #expect((summary.first?["RETRYD_FAILURES"].flatMap { Int($0) } ?? 0) >= 3)
    }

    @Test
    func itSaysWhichSocketWonAndWhoWasRefused() throws {
        let box = try Box()
        try box.succeed("systemctl start retryd.service")
        try box.await("journalctl -u retryd | grep -- '--socket /run/retryd/io.retryd is not used'")
        #expect(try box.run("retryctl unit-failed a.service", as: "ann").status == 77)
        let ann = try box.succeed("id --user ann").output.filter(\.isNumber)
        let refused = try box.journal("MESSAGE_ID=4505baf905744f6abbad5bf3d5f211b8")
        #expect(refused.map { $0["RETRYD_OWNER_UID"] } == [ann])
        #expect(refused.first?["PRIORITY"] == "4")
    }
}
