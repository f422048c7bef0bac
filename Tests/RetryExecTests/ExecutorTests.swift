import RetryClient
import Support
import SystemKit
import Testing

/// Commands from lease to report, by the real programs.
@Suite struct ExecutorTests {
    @Test func aCommandThatWorksIsReportedOnce() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", "echo x >>log"])
        let done = try bench.wait(for: id, toBe: "succeeded")
        #expect(done.operation.recoveries == 0)
        #expect(bench.file("log") == "x\n")
        try bench.waitForEmptyRuntime()
        #expect(try bench.client.history(id).map(\.outcome) == ["failed", "succeeded"])
    }

    @Test func aFailureIsToldWithExitCodeAndStandardError() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", "echo out; echo why >&2; exit 78", "a b"])
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(dead.decision?.rule == "exit-misconfigured")
        #expect(dead.operation.attempts == 2)
        let failure = try bench.failure(of: dead)
        #expect(failure["process"]["program"] == "sh")
        #expect(
            failure["process"]["args"] == ["-c", "echo out; echo why >&2; exit 78", "a b"])
        #expect(failure["process"]["exit_code"] == 78)
        #expect(failure["process"]["stderr_tail"] == "why\n")
        // There is no journal for it here.
        #expect(bench.exec.log.contains("out\n"))
        #expect(bench.exec.log.contains("why\n"))
    }

    @Test func aTemporaryFailureIsTriedAgain() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", "echo $RETRYD_ATTEMPT >>log; [ $(wc -l <log) -ge 3 ] || exit 75"])
        try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("log") == "2\n3\n4\n")
    }

    @Test func aSignalIsToldByName() throws {
        let bench = try Bench()
        let id = try bench.submit(["sh", "-c", "kill -SEGV $$"])
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(dead.decision?.rule == "process-crashed")
        let failure = try bench.failure(of: dead)
        #expect(failure["process"]["signal"] == "SIGSEGV")
        #expect(failure["process"]["exit_code"] == .null)
    }

    @Test func aCommandThatTakesTooLongIsStoppedWithItsGroup() throws {
        let bench = try Bench(settings: Bench.oneRetry)
        let id = try bench.submit(["sh", "-c", "sleep 100 & echo $! >child; wait"]) {
            $0.timeoutMs = 300
        }
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(dead.operation.cause == "attempts-exhausted")
        // What may pass is retried: only the policy gave up.
        #expect(dead.decision?.disposition == "retry")
        #expect(dead.decision?.rule == "unit-hung")
        let failure = try bench.failure(of: dead)
        #expect(failure["process"]["exit_code"] == 124)
        #expect(failure["process"]["service_result"] == "timeout")
        #expect(failure["message"].string?.hasSuffix("ms; it may take 300 ms") == true)
        let child = try #require(Int32(bench.file("child").dropLast()))
        #expect(!ProcessIdentity(process: child, startTicks: 0).isAlive)
    }

    @Test func whatDoesNotStopIsKilled() throws {
        let bench = try Bench(["--kill-after", "1"], settings: Bench.oneRetry)
        let id = try bench.submit(["sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"]) {
            $0.timeoutMs = 100
        }
        let dead = try bench.wait(for: id, toBe: "dead")
        #expect(try bench.failure(of: dead)["process"]["exit_code"] == 124)
    }

    @Test func theEndOfMuchStandardErrorIsKept() throws {
        let bench = try Bench()
        let line = "é is two bytes in UTF-8, so that a cut can fall into it"
        let id = try bench.submit(
            ["sh", "-c", "for i in $(seq 3000); do echo \"$i \(line)\" >&2; done; exit 78"])
        let dead = try bench.wait(for: id, toBe: "dead")
        let tail = try #require(try bench.failure(of: dead)["process"]["stderr_tail"].string)
        #expect((4_090...4_096).contains(tail.utf8.count))
        #expect(tail.hasSuffix("\n3000 \(line)\n"))
        #expect(!tail.contains("\u{FFFD}"))
        // All of it is passed on.
        let passedOn = bench.exec.log.split(separator: "\n").filter { $0.hasSuffix(line) }
        #expect(passedOn.count == 3_000)
    }

    @Test func directoryUmaskInputAndEnvironmentAreThoseHandedOver() throws {
        let bench = try Bench()
        let script = "pwd; umask; cat; env | grep -v '^_=' | sort >environment"
        let id = try bench.submit(["sh", "-c", "(\(script)) >seen"], key: "k") {
            $0.umask = 0o027
            $0.input = Array("line\0end".utf8)
            $0.environment = [
                .init(name: "LANG", value: "C"), .init(name: "HOME", value: "/somewhere"),
                .init(name: "RETRYD_KEY", value: "forged"),
            ]
        }
        try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("seen") == "\(bench.directory.path)\n0027\nline\0end")
        let user = try #require(try UserDatabase.user(id: Credentials.effectiveUser))
        #expect(
            bench.file("environment").split(separator: "\n") == [
                "HOME=/somewhere", "LANG=C", "LOGNAME=\(user.name)",
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "PWD=\(bench.directory.path)", "RETRYD_ATTEMPT=2", "RETRYD_KEY=k",
                "RETRYD_OPERATION=\(id)", "RETRYD_QUEUE=command", "RETRYD_RECOVERIES=0",
                "RETRYD_SOCKET=\(bench.daemon.socket)", "SHELL=\(user.shell)",
                "USER=\(user.name)",
            ])
    }

    @Test func withoutInputItIsEmptyAndNothingElseIsOpen() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", "readlink /proc/self/fd/0 >in; exec ls /proc/self/fd"])
        try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("in") == "/dev/null\n")
        // 3 is the directory that ls reads.
        #expect(bench.exec.log.hasSuffix("0\n1\n2\n3\n"))
    }

    @Test func signalsAreAsInAFreshProgram() throws {
        let bench = try Bench()
        let id = try bench.submit(["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"])
        try bench.wait(for: id, toBe: "succeeded")
        let words = bench.exec.log.split { $0 == "\t" || $0 == "\n" }
        #expect(words.count == 4)
        #expect(words.first == "SigBlk:")
        for word in [words[1], words[3]] {
            let signals = try #require(UInt64(word, radix: 16))
            // 32 and 33 are glibc's own and stay as whoever started the tests left them.
            #expect(signals & ~(3 << 31) == 0, "\(word)")
        }
    }

    @Test func aProgramThatIsNotThereIsToldByItsErrorNumber() throws {
        let bench = try Bench()
        let id = try bench.submit(["no-such-program", "x"])
        let dead = try bench.wait(for: id, toBe: "dead")
        let failure = try bench.failure(of: dead)
        #expect(failure["process"]["exit_code"] == 127)
        #expect(failure["errno"]["name"] == "ENOENT")
        #expect(failure["errno"]["number"] == 2)
        #expect(failure["errno"]["platform"] == "linux")
        #expect(failure["errno"]["syscall"] == "execve")
        #expect(failure["message"] == "run no-such-program: No such file or directory")
    }

    @Test func aFileThatIsNoProgramIsNotGivenToAShell() throws {
        let bench = try Bench()
        let file = "\(bench.directory.path)/file"
        try Files.writeAtomically(file, Array("echo x >>log\n".utf8), mode: 0o644)
        let denied = try bench.submit([file])
        let failure = try bench.failure(of: bench.wait(for: denied, toBe: "dead"))
        #expect(failure["process"]["exit_code"] == 126)
        #expect(failure["errno"]["name"] == "EACCES")

        try Files.writeAtomically(file, Array("echo x >>log\n".utf8), mode: 0o755)
        let noProgram = try bench.submit([file])
        let other = try bench.failure(of: bench.wait(for: noProgram, toBe: "dead"))
        #expect(other["process"]["exit_code"] == 126)
        #expect(other["errno"]["name"] == "ENOEXEC")
        #expect(bench.file("log") == "")
    }

    @Test func aDirectoryThatIsGoneIsTold() throws {
        let bench = try Bench()
        let id = try bench.submit(["true"]) { $0.workingDirectory = "/no/such/directory" }
        // It may be mounted again later.
        let details = try bench.wait(for: id, "to be tried") { $0.operation.attempts == 2 }
        #expect(details.operation.state == "scheduled")
        #expect(details.operation.rule == "working-directory-not-found")
        let failure = try bench.failure(of: details)
        #expect(failure["errno"]["syscall"] == "chdir")
        #expect(
            failure["message"]
                == "enter /no/such/directory: No such file or directory")
    }

    @Test func whatIsLeftInTheBackgroundKeepsItsStandardError() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", "(sleep 0.6; echo late >&2 && echo written >late) & exit 0"])
        try bench.wait(for: id, toBe: "succeeded")
        #expect(bench.file("late") == "")
        try bench.waitForFile("late", "written\n")
        #expect(bench.exec.log.contains("late\n"))
    }

    @Test func noMoreRunAtOnceThanAllowed() throws {
        let bench = try Bench(["--max", "2"])
        let script = "echo + >>log; sleep 0.2; echo - >>log"
        var ids: [Int64] = []
        for _ in 0..<6 { ids.append(try bench.submit(["sh", "-c", script])) }
        for id in ids { try bench.wait(for: id, toBe: "succeeded") }
        var running = 0
        var most = 0
        for line in bench.file("log").split(separator: "\n") {
            running += line == "+" ? 1 : -1
            most = max(most, running)
        }
        #expect(running == 0)
        #expect(most == 2)
    }
}
