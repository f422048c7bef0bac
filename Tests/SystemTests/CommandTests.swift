import Testing

/// Commands under a real systemd.
@Suite(.serialized, .enabled(if: Tree.canBoot, "needs root and the programs that make builds"))
struct CommandTests {
    /// What ann's command does in the attempts that retryd-exec makes; the first one fails.
    private func box(retrying command: String) throws -> Box {
        let box = try Box()
        try box.succeed("systemctl enable --now retryd.service retryd-exec.service")
        let script = "test \\$RETRYD_ATTEMPT || exit 75; \(command)"
        let run = try box.run("retryctl run -- sh -c \"\(script)\"", as: "ann")
        try #require(run.status == 75, "\(run)")
        return box
    }

    @Test
    func anOwnerReadsWhatItsCommandWrote() throws {
        let box = try box(retrying: "echo said; echo complained >&2")
        try box.await("retryctl list --json=short | grep '\"state\":\"succeeded\"'", as: "ann")
        try box.succeed("journalctl --sync")

        // By ann's own rights: in no group that may read the journal of others.
        let read = try box.succeed("journalctl --quiet --output=cat -t retryd-op-1", as: "ann")
        #expect(read.output == "said\ncomplained\n")
        let ann = try box.succeed("id --user ann").output.filter(\.isNumber)
        let entries = try box.journal("SYSLOG_IDENTIFIER=retryd-op-1")
        #expect(entries.map { $0["_UID"] } == [ann, ann])
        #expect(entries.map { $0["PRIORITY"] } == ["6", "6"])
    }

    @Test
    func aCommandOutlivesARestartOfItsRunner() throws {
        let box = try box(retrying: "echo x >>log; while ! test -e go; do sleep 0.1; done")
        try box.await("test -s log", as: "ann")
        try box.succeed("systemctl restart retryd-exec")
        try box.succeed("systemctl kill --signal=KILL --kill-whom=main retryd-exec")
        try box.await("systemctl is-active retryd-exec")
        try box.succeed("touch go", as: "ann")
        try box.await("retryctl list --json=short | grep '\"state\":\"succeeded\"'", as: "ann")
        #expect(try box.succeed("cat log", as: "ann").output == "x\n")
        let list = try box.succeed("retryctl list --json=short", as: "ann")
        #expect(list.output.contains("\"recoveries\":0"), "\(list)")
    }
}
