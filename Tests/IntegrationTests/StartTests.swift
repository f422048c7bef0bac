import Glibc
import Support
import SystemKit
import Testing

/// How the daemon starts, refuses to start, and ends.
@Suite
struct StartTests {
    /// Runs retryd to its end with other arguments than the private daemon's.
    private func run(_ arguments: String...) throws -> FinishedProgram {
        try FinishedProgram.run([BuiltProgram.path("retryd")] + arguments)
    }

    /// The exit code of a daemon that does not start, and what it said.
    private func refusal(_ daemon: PrivateDaemon) throws -> (code: Int32, message: String) {
        try daemon.launch()
        guard daemon.hasEnded(withinMs: 20_000) else { throw Failure("it started") }
        guard case .exited(let code) = daemon.wait() else { throw Failure(daemon.errors) }
        return (code, daemon.errors)
    }

    // MARK: Command line

    @Test
    func wrongArgumentsAreNamed() throws {
        let unknown = try run("--stat", "/tmp")
        #expect(unknown.end == .exited(code: 64))
        #expect(unknown.errors == "<3>retryd: unknown argument --stat; see retryd --help\n")
        let missing = try run("--state")
        #expect(missing.end == .exited(code: 64))
        #expect(missing.errors == "<3>retryd: --state needs a value; see retryd --help\n")
    }

    @Test
    func helpAndVersionAreShown() throws {
        let help = try run("--help")
        #expect(help.end == .exited(code: 0))
        #expect(help.output.contains("--state DIR"))
        #expect(help.errors == "")
        let version = try run("--version")
        #expect(version.end == .exited(code: 0))
        #expect(version.output.hasPrefix("retryd "))
    }

    // MARK: Configuration

    @Test
    func anUnreadableRuleFileIsNamed() throws {
        let daemon = try Scenario.daemon()
        let path = "\(daemon.configuration)/rules.d/mine.toml"
        // For root too: a directory cannot be read as a file.
        try Files.makeDirectory(path, mode: 0o700)
        let (code, message) = try refusal(daemon)
        #expect(code == 78)
        #expect(message.contains("configuration refused: \(path): "), "\(message)")
        #expect(message.contains("mend or remove it"), "\(message)")
    }

    @Test
    func aMissingConfigurationDirectoryIsNamed() throws {
        let daemon = try Scenario.daemon()
        let finished = try run("--state", daemon.state, "--config", "/nowhere")
        #expect(finished.end == .exited(code: 78))
        #expect(
            finished.errors == "<3>retryd: configuration refused: /nowhere: no such directory; "
                + "make it or name another with --config\n")
    }

    // MARK: State

    @Test
    func aMissingStateDirectoryIsNamed() throws {
        let daemon = try Scenario.daemon()
        try Files.removeDirectory(daemon.state)
        let (code, message) = try refusal(daemon)
        #expect(code == 74)
        #expect(message.contains("state directory \(daemon.state) does not exist"), "\(message)")
        #expect(message.contains("--state"), "\(message)")
    }

    @Test
    func aStateDirectoryThatIsAFileIsNamed() throws {
        let daemon = try Scenario.daemon()
        let finished = try run("--state", "\(daemon.configuration)/rules.d/test.toml")
        #expect(finished.end == .exited(code: 74))
        #expect(finished.errors.contains("is not a directory"), "\(finished)")
    }

    @Test
    func aReadOnlyStateDirectoryIsNamed() throws {
        let daemon = try Scenario.daemon()
        // Not even root writes into /proc.
        let finished = try run(
            "--state", "/proc/self", "--socket", daemon.socket, "--config", daemon.configuration)
        #expect(finished.end == .exited(code: 74))
        #expect(finished.errors.contains("/proc/self"), "\(finished)")
    }

    @Test
    func aStoreThatAnotherDaemonHasIsNamed() throws {
        let daemon = try Scenario.started()
        let second = try run(
            "--state", daemon.state, "--socket", "\(daemon.socket)2",
            "--config", daemon.configuration)
        #expect(second.end == .exited(code: 74))
        #expect(second.errors.contains("\(daemon.process)"), "\(second)")
        #expect(second.errors.contains("retryd.lock"), "\(second)")
        #expect(try daemon.connect().succeed("Status")["store"] == "serving")
    }

    /// Offset 60 of the file is SQLite's user_version (fileformat2.html).
    @Test
    func aStoreOfANewerVersionIsLeftAsItIs() throws {
        let daemon = try Scenario.started()
        _ = try daemon.connect().submit(["queue": "mail", "policy": "slow"])
        daemon.stop()
        let path = "\(daemon.state)/retryd.sqlite"
        var content = try Files.readAll(path, bytesMax: 64 << 20)
        content.replaceSubrange(60..<64, with: [0, 0, 3, 231])
        try Files.writeAtomically(path, content, mode: 0o600)
        for name in ["retryd.sqlite-wal", "retryd.sqlite-shm"] {
            try Files.remove("\(daemon.state)/\(name)")
        }
        let (code, message) = try refusal(daemon)
        #expect(code == 74)
        #expect(message.contains("has schema 999"), "\(message)")
        #expect(message.contains("install a newer retryd"), "\(message)")
        #expect(try Files.readAll(path, bytesMax: 64 << 20) == content)
    }

    @Test
    func aFileThatIsNoStoreIsLeftAsItIs() throws {
        let daemon = try Scenario.daemon()
        let path = "\(daemon.state)/retryd.sqlite"
        let content = Array(String(repeating: "not a database ", count: 1_000).utf8)
        try Files.writeAtomically(path, content, mode: 0o600)
        let (code, message) = try refusal(daemon)
        #expect(code == 74)
        #expect(message.contains("\(path) is not a database"), "\(message)")
        #expect(try Files.readAll(path, bytesMax: 64 << 20) == content)
    }

    // MARK: Socket

    @Test
    func aSocketOnWhichSomebodyAnswersIsLeftToHim() throws {
        let first = try Scenario.started()
        let second = try Scenario.daemon()
        let finished = try run(
            "--state", second.state, "--socket", first.socket, "--config", second.configuration)
        #expect(finished.end == .exited(code: 73))
        #expect(
            finished.errors.contains(
                "listen on \(first.socket): another process answers there"), "\(finished)")
        #expect(try first.connect().succeed("Status")["pid"].integer == Int64(first.process))
        // The store is in good order.
        try second.start()
        #expect(try second.connect().list() == [])
    }

    @Test
    func aSocketThatWasLeftBehindIsReplaced() throws {
        let daemon = try Scenario.started()
        daemon.kill()
        #expect(try Files.status(daemon.socket)?.kind == .socket)
        try daemon.start()
        #expect(try daemon.connect().succeed("Status")["store"] == "serving")
    }

    @Test
    func whatLiesWhereTheSocketShouldBeIsNamed() throws {
        let daemon = try Scenario.daemon()
        try Files.writeAtomically(daemon.socket, [], mode: 0o600)
        let (code, message) = try refusal(daemon)
        #expect(code == 73)
        #expect(message.contains("a file that is no socket is in the way"), "\(message)")
        let nowhere = try run(
            "--state", daemon.state, "--socket", "/nowhere/socket",
            "--config", daemon.configuration)
        #expect(nowhere.end == .exited(code: 73))
        #expect(nowhere.errors.contains("/nowhere/socket"), "\(nowhere)")
        let long = try run(
            "--state", daemon.state, "--config", daemon.configuration,
            "--socket", "/" + String(repeating: "x", count: 120))
        #expect(long.end == .exited(code: 73))
        #expect(long.errors.contains("the kernel takes 1 to 107"), "\(long)")
    }

    @Test
    func everybodyMayConnect() throws {
        let daemon = try Scenario.started()
        #expect(try Files.status(daemon.socket)?.mode == 0o666)
    }

    /// systemd-socket-activate(1) passes its socket as a .socket unit does.
    @Test
    func aSocketThatSystemdPassesIsServedAndLeftAlone() throws {
        let daemon = try Scenario.daemon()
        let passed = "\(daemon.directory.path)/passed"
        daemon.wrapper = [
            "systemd-socket-activate", "--listen=\(passed)", "--fdname=varlink", "--",
        ]
        try daemon.launch()
        let endUsec = Clocks.monotonicUsec() + 20_000_000
        var first: WireClient?
        while first == nil, Clocks.monotonicUsec() < endUsec {
            first = try? WireClient(passed)
            Clocks.sleep(ms: 5)
        }
        let client = try #require(first)
        // This connection was made before there was a daemon.
        #expect(try client.succeed("Status")["store"] == "serving")
        #expect(try Files.status(daemon.socket) == nil)
        try daemon.awaitError("systemd passed")
        #expect(daemon.stop() == .exited(code: 0))
        #expect(try Files.status(passed)?.kind == .socket)
    }

    // MARK: The end

    @Test(arguments: [ProcessSignal.terminate, .interrupt])
    func aSignalEndsItInGoodOrder(signal: ProcessSignal) throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        let id = try client.submit(["queue": "mail", "policy": "slow"])
        let waiting = try daemon.connect()
        try waiting.send("Lease", ["queues": ["none"], "wait_ms": 60_000])
        let start = Clocks.monotonicUsec()
        daemon.send(signal)
        #expect(daemon.wait() == .exited(code: 0))
        #expect(Clocks.monotonicUsec() - start < 1_000_000)
        #expect(try client.isClosed())
        #expect(try waiting.isClosed())
        #expect(try Files.status(daemon.socket) == nil)
        #expect(daemon.errors.contains("Stopping"), "\(daemon.errors)")
        try daemon.start()
        #expect(try daemon.connect().state(id) == "scheduled")
    }

    // MARK: The service manager

    @Test
    func readyIsToldWhenItServesAndStatusIsASentence() throws {
        let daemon = try Scenario.daemon()
        let path = "\(daemon.directory.path)/notify"
        let notices = try NoticeSocket(path)
        daemon.variables = [("NOTIFY_SOCKET", path)]
        try daemon.launch()
        var told: [String] = []
        while told.last?.contains("READY=1") != true { told.append(try notices.next()) }
        // Whoever connects now is served.
        let client = try daemon.connect()
        #expect(try client.succeed("Status")["store"] == "serving")
        for (notice, sentence) in zip(told, ["Opening", "Reading"]) {
            #expect(notice.contains("EXTEND_TIMEOUT_USEC="), "\(told)")
            #expect(notice.contains("STATUS=\(sentence) \(daemon.state)"), "\(told)")
        }
        #expect(told.count == 3)
        #expect(told.last?.contains("STATUS=0 waiting") == true, "\(told)")

        _ = try client.submit(["queue": "mail", "policy": "slow"])
        #expect(try notices.next().hasPrefix("STATUS=1 waiting; next 20"))

        daemon.send(.hangUp)
        let reloading = try notices.next()
        #expect(reloading.contains("RELOADING=1\nMONOTONIC_USEC="), "\(reloading)")
        #expect(try notices.next().contains("READY=1"))
        try daemon.write("[[rule]]\n", to: "rules.d/bad.toml")
        daemon.send(.hangUp)
        #expect(try notices.next().contains("RELOADING=1"))
        let refused = try notices.next()
        #expect(refused.contains("READY=1"), "\(refused)")
        #expect(refused.contains("; new configuration refused: "), "\(refused)")
        daemon.send(.terminate)
        var last = try notices.next()
        while !last.contains("STOPPING=1") { last = try notices.next() }
        #expect(daemon.wait() == .exited(code: 0))
    }

    @Test
    func aStartThatFailsTellsWhy() throws {
        let daemon = try Scenario.daemon()
        let path = "\(daemon.directory.path)/notify"
        let notices = try NoticeSocket(path)
        daemon.variables = [("NOTIFY_SOCKET", path)]
        try daemon.write("[limits", to: "retryd.toml")
        #expect(try refusal(daemon).code == 78)
        let told = try notices.next()
        #expect(told.contains("STATUS=configuration refused: "), "\(told)")
        #expect(!told.contains("READY"))
    }

    @Test
    func theWatchdogIsFed() throws {
        let daemon = try Scenario.daemon()
        let path = "\(daemon.directory.path)/notify"
        let notices = try NoticeSocket(path)
        daemon.variables = [("NOTIFY_SOCKET", path), ("WATCHDOG_USEC", "400000")]
        try daemon.launch()
        var count = 0
        let endUsec = Clocks.monotonicUsec() + 20_000_000
        while count < 4, Clocks.monotonicUsec() < endUsec {
            if try notices.next() == "WATCHDOG=1" { count += 1 }
        }
        #expect(count == 4)
    }

    @Test
    func aServiceManagerThatDoesNotListenEndsNothing() throws {
        let daemon = try Scenario.daemon()
        daemon.variables = [
            ("NOTIFY_SOCKET", "\(daemon.directory.path)/nobody"), ("WATCHDOG_USEC", "400000"),
        ]
        try daemon.start()
        let client = try daemon.connect()
        Clocks.sleep(ms: 500)
        #expect(try client.succeed("Status")["store"] == "serving")
        try daemon.awaitError("NOTIFY_SOCKET")
    }
}

/// A socket to which a service tells how it is, as systemd has one (sd_notify(3)).
final class NoticeSocket {
    private let socket: OwnedFD

    init(_ path: String) throws {
        socket = try UnixSocket.bindDatagram(path: path)
    }

    /// The next notice.
    func next() throws -> String {
        guard try Syscalls.wait(for: socket.rawValue, .readable, timeoutMs: 20_000) else {
            throw Failure("no notice")
        }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let result = try bytes.withUnsafeMutableBytes { buffer in
            try Syscalls.receive(socket.rawValue, into: buffer)
        }
        guard case .count(let count) = result else { throw Failure("an empty notice") }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
