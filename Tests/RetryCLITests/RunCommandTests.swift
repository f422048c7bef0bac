import RetryCLI
import Support
import SystemKit
import Testing

/// `retryctl run` with real commands. They say nothing on standard error, for that passes through.
@Suite struct RunCommandTests {
    private func run(_ daemon: Daemon, _ arguments: String...) -> Tool {
        Tool(["run", "--stdin=null"] + arguments, socket: "\(daemon.path)/socket")
    }

    private static let dead = #"""
        {"disposition":"permanent","action":"modify-configuration","clamped":false,\#
        "rule":"exit-misconfigured","policy":"default","outcome":"dead","cause":"permanent"}
        """#

    @Test func aSuccessTellsNobody() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let tool = run(daemon, "--", "true")
        #expect(tool.code == 0)
        #expect(tool.messages == "")
        #expect(daemon.requests.isEmpty)
    }

    @Test func aFailureIsHandedOver() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let tool = run(
            daemon, "--key", "k", "--retry-on", "1,7-8", "--timeout", "1h", "--", "sh", "-c",
            "exit 75")
        #expect(tool.code == 75)
        #expect(tool.output == "")
        let lines = tool.messages.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[0] == "retryctl: sh ended with exit code 75: a failure that may pass "
                + "(rule http-unavailable)")
        #expect(lines[1].hasPrefix("retryctl: operation 17: tried again "))
        let parameters = daemon.requests[0].parameters
        #expect(
            parameters.hasPrefix(
                #"{"operation":{"queue":"command","kind":"command","key":"k","#
                    + #""payload":{"argv":["sh","-c","exit 75"],"cwd":"/"#))
        #expect(parameters.contains(#""timeout_ms":3600000,"retry_on":[1,7,8]}"#))
        #expect(
            parameters.hasSuffix(
                #""idempotent":true,"unknown":"retry"},"failure":{"request":{"idempotent":true},"#
                    + #""process":{"program":"sh","args":["-c","exit 75"],"exit_code":75}}}"#))
    }

    @Test func askedForCodesAreRequested() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        #expect(run(daemon, "--retry-on", "3", "--strict", "--", "sh", "-c", "exit 3").code == 75)
        #expect(daemon.requests[0].parameters.contains(#""unknown":"permanent""#))
        #expect(daemon.requests[0].parameters.hasSuffix(#","retry_requested":true}}"#))
        #expect(
            run(daemon, "--when-foreground", "--program=curl", "--", "sh", "-c", "exit 3").code
                == 75)
        #expect(
            daemon.requests[1].parameters.hasSuffix(
                #""process":{"program":"curl","args":["-c","exit 3"],"exit_code":3},"#
                    + #""retry_requested":"when-foreground"}}"#))
    }

    @Test func theEndOfStandardErrorIsKept() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        // Standard error of the test stays clean: the shell's own goes to the pipe.
        let tool = run(daemon, "--", "sh", "-c", "printf '\\033[0m' >&2; exit 9")
        #expect(tool.code == 75)
        #expect(
            daemon.requests[0].parameters.contains(
                #""exit_code":9,"stderr_tail":"\u001b[0m""#))
    }

    @Test func aPermanentFailureKeepsItsCode() throws {
        let daemon = try Daemon(
            answering: Replies.submitted(
                state: "dead", decision: RunCommandTests.dead))
        let tool = run(daemon, "--wait", "--", "sh", "-c", "exit 78")
        #expect(tool.code == 78)
        #expect(tool.messages.contains("given up (permanent): correct the configuration"))
        #expect(daemon.requests.count == 1)
    }

    @Test func aSignalBecomesACode() throws {
        let daemon = try Daemon(
            answering: Replies.submitted(
                state: "dead", decision: RunCommandTests.dead))
        let tool = run(daemon, "--", "sh", "-c", "kill -KILL $$")
        #expect(tool.code == 137)
        #expect(daemon.requests[0].parameters.contains(#""signal":"SIGKILL""#))
    }

    @Test func anInterruptionHandsNothingOver() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let tool = run(daemon, "--", "sh", "-c", "kill -INT $$")
        #expect(tool.code == 130)
        #expect(tool.messages == "")
        #expect(daemon.requests.isEmpty)
    }

    @Test func whatTakesTooLongIsStopped() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let begunUsec = Clocks.monotonicUsec()
        let tool = run(daemon, "--timeout", "100ms", "--", "sleep", "30")
        #expect(Clocks.monotonicUsec() - begunUsec < 10_000_000)
        #expect(tool.code == 75)
        #expect(tool.messages.contains("was killed by SIGTERM because it took too long"))
        #expect(daemon.requests[0].parameters.contains(#""service_result":"timeout""#))
    }

    @Test func whatCannotBeRunIsNotHandedOver() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let missing = run(daemon, "--", "no-such-program-here")
        #expect(missing.code == 127)
        #expect(missing.messages.contains("No such file or directory"))
        #expect(run(daemon, "--", "/dev/null").code == 126)
        #expect(daemon.requests.isEmpty)
    }

    @Test func withoutDaemonTheCodeIsTheCommands() {
        let tool = Tool(["run", "--stdin=null", "--", "sh", "-c", "exit 9"])
        #expect(tool.code == 9)
        #expect(tool.messages.contains("retryctl: sh ended with exit code 9\n"))
        #expect(tool.messages.contains("not handed over: no retryd at /nonexistent/socket"))
    }

    /// 75 means that it was handed over, and nothing else does.
    @Test func withoutDaemonTheCodeIsNever75() {
        let tool = Tool(["run", "--stdin=null", "--", "sh", "-c", "exit 75"])
        #expect(tool.code == 69)
        #expect(tool.messages.contains("not handed over: no retryd at /nonexistent/socket"))
    }

    @Test func waitsForTheEnd() throws {
        @Sendable func details(_ state: String) -> String {
            #"{"operation":\#(Replies.summary(id: 17, state: state)),"#
                + #""failure":{"process":{"exit_code":3}},"primary":\#(Replies.reason)}"#
        }
        for (last, code) in [("succeeded", 0), ("dead", 3), ("cancelled", 3)] as [(String, Int32)] {
            let daemon = try Daemon { request in
                switch request.method {
                case "io.retryd.Submit": [.reply(Replies.submitted())]
                default: [.reply(details(request.number < 2 ? "leased" : last))]
                }
            }
            let tool = run(daemon, "--wait", "--", "sh", "-c", "exit 4")
            #expect(tool.code == code, "\(last)")
            #expect(daemon.requests.map(\.method).filter { $0 == "io.retryd.Get" }.count == 2)
        }
    }

    @Test func tooMuchForAnOperationIsSaidBefore() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let tool = run(daemon, "--", "true", String(repeating: "x", count: 300_000))
        #expect(tool.code == 64)
        #expect(tool.messages.contains("so nothing was run"))
    }
}
