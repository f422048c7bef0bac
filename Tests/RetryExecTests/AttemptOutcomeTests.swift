import RetryClient
import SystemKit
import Testing

@testable import RetryExec

@Suite struct AttemptOutcomeTests {
    private func outcome(
        _ end: RunnerResult.End, timedOut: Bool = false, memoryKills: (Int64?, Int64?) = (nil, nil),
        isIdempotent: Bool? = nil, _ change: (inout CommandPayload) -> Void = { _ in }
    ) -> RetryClient.Outcome {
        var command = CommandPayload(["/bin/job", "-x"])
        change(&command)
        let state = AttemptState(
            id: 1, token: 1, runner: ProcessIdentity(process: 1, startTicks: 1),
            command: command, isIdempotent: isIdempotent, memoryKills: memoryKills.0)
        return AttemptOutcome.make(
            RunnerResult(end: end, timedOut: timedOut, ranMs: 2_003, errorTail: []), of: state,
            memoryKillsNow: memoryKills.1)
    }

    private func failed(_ json: String) -> RetryClient.Outcome {
        .failed(RawJSON(Array(json.utf8)))
    }

    @Test func zeroIsSuccess() {
        #expect(outcome(.exited(code: 0)) == .succeeded)
    }

    @Test func anythingElseIsAFailure() {
        #expect(
            outcome(.exited(code: 75), isIdempotent: true)
                == failed(
                    #"{"request":{"idempotent":true},"process":{"program":"/bin/job","#
                        + #""args":["-x"],"exit_code":75}}"#))
    }

    @Test func whatIsStoppedForItsTimeIsTheSameHoweverItEnds() {
        let expected = failed(
            #"{"message":"stopped after 2003 ms; it may take 2000 ms","process":{"#
                + #""program":"/bin/job","args":["-x"],"exit_code":124,"#
                + #""service_result":"timeout"}}"#)
        for end in [
            .exited(code: 0), .exited(code: 1),
            .killed(.terminate, coreDumped: false, byRunner: false),
            .killed(.kill, coreDumped: false, byRunner: true),
        ] as [RunnerResult.End] {
            #expect(outcome(end, timedOut: true) { $0.timeoutMs = 2_000 } == expected)
        }
    }

    @Test func aKillWithoutMemoryIsToldAsSuch() {
        let killed = RunnerResult.End.killed(.kill, coreDumped: false, byRunner: false)
        let plain = failed(
            #"{"process":{"program":"/bin/job","args":["-x"],"signal":"SIGKILL"}}"#)
        let outOfMemory = failed(
            #"{"process":{"program":"/bin/job","args":["-x"],"signal":"SIGKILL","#
                + #""oom_kill":true}}"#)
        #expect(outcome(killed) == plain)
        #expect(outcome(killed, memoryKills: (3, nil)) == plain)
        #expect(outcome(killed, memoryKills: (3, 3)) == plain)
        #expect(outcome(killed, memoryKills: (3, 4)) == outOfMemory)
        let byRunner = RunnerResult.End.killed(.kill, coreDumped: false, byRunner: true)
        #expect(outcome(byRunner, memoryKills: (3, 4)) == plain)
    }

    @Test(arguments: [
        (RunnerResult.Step.fork, Int32(11), "EAGAIN", "fork", 126, "make a process"),
        (.setUser, 22, "EINVAL", "setresuid", 126, "become the owner (setresuid)"),
        (.enterDirectory, 2, "ENOENT", "chdir", 126, "enter /srv"),
        (.execute, 2, "ENOENT", "execve", 127, "run /bin/job"),
        (.execute, 13, "EACCES", "execve", 126, "run /bin/job"),
    ])
    func whatWasRefusedIsToldByItsErrorNumber(
        step: RunnerResult.Step, code: Int32, name: String, syscall: String, exitCode: Int,
        what: String
    ) {
        let refused = outcome(.refused(step, code: code)) { $0.workingDirectory = "/srv" }
        #expect(
            refused
                == failed(
                    #"{"message":"\#(what): \#(SystemError.reason(code))","process":{"#
                        + #""program":"/bin/job","args":["-x"],"exit_code":\#(exitCode)},"#
                        + #""errno":{"name":"\#(name)","number":\#(code),"platform":"linux","#
                        + #""syscall":"\#(syscall)"}}"#))
    }

    @Test func aShorterOneSaysTheSameInLess() {
        let state = AttemptState(
            id: 1, token: 1, runner: ProcessIdentity(process: 1, startTicks: 1),
            command: CommandPayload(["/bin/job", "-x", "y"]), isIdempotent: nil, memoryKills: nil)
        let result = RunnerResult(
            end: .exited(code: 3), timedOut: false, ranMs: 1, errorTail: Array("no".utf8))
        #expect(
            AttemptOutcome.all(result, of: state, memoryKillsNow: nil) == [
                failed(
                    #"{"process":{"program":"/bin/job","args":["-x","y"],"exit_code":3,"#
                        + #""stderr_tail":"no"}}"#),
                failed(#"{"process":{"program":"/bin/job","args":[],"exit_code":3}}"#),
            ])
    }

    @Test func whatIsNoCommandIsAWrongUse() throws {
        let reason = try #require(throws: CommandPayload.Malformed.self) {
            try CommandPayload(parsing: RawJSON(Array("[]".utf8)))
        }
        #expect(
            AttemptOutcome.malformed(reason)
                == failed(
                    #"{"message":"the payload of a command must be an object","process":{"#
                        + #""program":"retryd-exec","args":[],"exit_code":64}}"#))
    }
}
