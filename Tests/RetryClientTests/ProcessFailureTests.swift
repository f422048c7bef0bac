import RetryClient
import Testing

@Suite struct ProcessFailureTests {
    @Test func tellsAnExitCode() {
        var failure = ProcessFailure(
            program: "curl", arguments: ["-f", "https://example.org/"], end: .exited(code: 7),
            errorTail: Array("curl: (7) \"no\"\n".utf8))
        failure.isIdempotent = true
        #expect(
            failure.json.string
                == #"{"request":{"idempotent":true},"process":{"program":"curl","#
                + #""args":["-f","https://example.org/"],"exit_code":7,"#
                + #""stderr_tail":"curl: (7) \"no\"\n"}}"#)
    }

    @Test func tellsASignal() {
        var failure = ProcessFailure(
            program: "job", arguments: [], end: .killed(signal: 11, coreDumped: true),
            errorTail: [])
        failure.timedOut = true
        #expect(
            failure.json.string
                == #"{"process":{"program":"job","args":[],"signal":"SIGSEGV","core_dumped":true,"#
                + #""service_result":"timeout"}}"#)
    }

    @Test func requestsWhatTheCommandAsksFor() {
        var command = CommandPayload(["wrapper", "x"])
        command.retryOn = [3]
        #expect(ProcessFailure(of: command, end: .exited(code: 3), errorTail: []).requested == .now)
        #expect(ProcessFailure(of: command, end: .exited(code: 4), errorTail: []).requested == nil)
        let killed = ProcessFailure(
            of: command, end: .killed(signal: 3, coreDumped: false), errorTail: [])
        #expect(killed.requested == nil)
        command.waitsForForeground = true
        command.program = "curl"
        let failure = ProcessFailure(of: command, end: .exited(code: 3), errorTail: [])
        #expect(failure.requested == .whenForeground)
        #expect(
            failure.json.string
                == #"{"process":{"program":"curl","args":["x"],"exit_code":3"#
                + #"},"retry_requested":"when-foreground"}"#)
    }

    @Test func boundsTheArguments() {
        let failure = ProcessFailure(
            program: "p", arguments: [String(repeating: "a", count: 4_096), "b"],
            end: .exited(code: 1), errorTail: [])
        #expect(failure.json.bytes.count < 4_200)
    }

    @Test func bytesThatAreNoTextBecomeText() {
        let failure = ProcessFailure(
            program: "p", arguments: [], end: .exited(code: 1), errorTail: [0x61, 0xFF, 0x0A])
        #expect(failure.json.string.contains("\"stderr_tail\":\"a\u{FFFD}\\n\""))
    }

    @Test func tellsWhatKeptItFromRunning() {
        var failure = ProcessFailure(
            program: "job", arguments: [], end: .exited(code: 127), errorTail: [])
        failure.refusal = ProcessFailure.Refusal(code: 2, syscall: "execve")
        failure.message = "run job: No such file or directory"
        #expect(
            failure.json.string
                == #"{"message":"run job: No such file or directory","process":{"program":"job","#
                + #""args":[],"exit_code":127},"errno":{"name":"ENOENT","number":2,"#
                + #""platform":"linux","syscall":"execve"}}"#)
    }

    @Test func tellsThatMemoryRanOut() {
        var failure = ProcessFailure(
            program: "job", arguments: [], end: .killed(signal: 9, coreDumped: false),
            errorTail: [])
        failure.wasOutOfMemory = true
        #expect(
            failure.json.string
                == #"{"process":{"program":"job","args":[],"signal":"SIGKILL","oom_kill":true}}"#)
    }
}
