import RetryCLI
import Support
import SystemKit
import Testing

@Suite struct SubmitCommandTests {
    private func sent(_ arguments: String...) throws -> String {
        let daemon = try Daemon(answering: Replies.submitted())
        let tool = Tool(["submit"] + arguments, socket: "\(daemon.path)/socket")
        try #require(tool.code == 0, "\(tool.messages)")
        return daemon.requests[0].parameters
    }

    @Test(arguments: [
        ([], ""),
        (["--exit-code", "7"], #""process":{"exit_code":7}"#),
        (["--signal", "9"], #""process":{"signal":"SIGKILL"}"#),
        (["--signal=term", "--program", "x"], #""process":{"program":"x","signal":"SIGTERM"}"#),
        (
            ["--http-status", "503", "--header", "Retry-After: 2", "--header", "retry-after:3"],
            #""http":{"status":503,"headers":{"Retry-After":"2, 3"}}"#
        ),
        (["--errno", "ECONNREFUSED"], #""errno":{"name":"ECONNREFUSED","platform":"linux"}"#),
        (["--errno", "111"], #""errno":{"number":111,"platform":"linux"}"#),
        (["--message", "a\"b"], #""message":"a\"b""#),
        (
            ["--message", "m", "--exit-code", "1"], #""process":{"exit_code":1},"message":"m""#
        ),
    ])
    func buildsAFailure(options: [String], failure: String) throws {
        let daemon = try Daemon(answering: Replies.submitted())
        let tool = Tool(
            ["submit", "--queue", "q"] + options, socket: "\(daemon.path)/socket")
        #expect(tool.code == 0)
        let told = failure.isEmpty ? "" : #","failure":{\#(failure)}"#
        #expect(daemon.requests[0].parameters == #"{"operation":{"queue":"q"}\#(told)}"#)
    }

    @Test func readsFiles() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try Files.writeAtomically(path, Array(#" {"sdk": {"error":"x"}} "#.utf8), mode: 0o600)
        #expect(
            try sent("--queue", "q", "--error-json", path, "--message", "m")
                == #"{"operation":{"queue":"q"},"failure":{"sdk":{"error":"x"},"message":"m"}}"#)
        #expect(
            try sent("--queue", "q", "--stderr", path)
                == #"{"operation":{"queue":"q"},"failure":{"process":{"stderr_tail":"#
                + #"" {\"sdk\": {\"error\":\"x\"}} "}}}"#)
        #expect(
            try sent("--queue", "q", "--payload-file", path)
                == #"{"operation":{"queue":"q","payload":" {\"sdk\": {\"error\":\"x\"}} "}}"#)
        try Files.writeAtomically(path, [0xFF, 0], mode: 0o600)
        #expect(
            try sent("--queue", "q", "--payload-file", path)
                == #"{"operation":{"queue":"q","payload_base64":"/wA="}}"#)
    }

    @Test func describesTheOperation() throws {
        #expect(
            try sent(
                "--queue", "q", "--kind=custom", "--key", "k", "--key-mode", "replace",
                "--payload", "p", "--policy", "slow", "--scope", "app:x", "--priority=-5",
                "--deadline", "@5", "--destination", "d", "--credential", "c", "--tag", "a",
                "--tag", "b", "--idempotent", "--unknown", "retry")
                == #"{"operation":{"queue":"q","kind":"custom","key":"k","key_mode":"replace","#
                + #""payload":"p","scope":"app:x","destination":"d","credential":"c","#
                + #""policy":"slow","priority":-5,"tags":["a","b"],"deadline_usec":5000000,"#
                + #""idempotent":true,"unknown":"retry"}}"#)
    }

    @Test func aCommandIsItsOwnPayload() throws {
        let parameters = try sent("--exit-code", "75", "--timeout", "5s", "--", "ls", "-l")
        #expect(
            parameters.hasPrefix(
                #"{"operation":{"queue":"command","kind":"command","payload":{"argv":["ls","-l"],"#
                    + #""cwd":"/"#), "\(parameters)")
        #expect(parameters.contains(#""timeout_ms":5000"#))
        #expect(parameters.hasSuffix(#""failure":{"process":{"exit_code":75}}}"#))
    }

    @Test func printsTheAnswer() throws {
        let daemon = try Daemon(answering: Replies.submitted())
        #expect(
            daemon.run("submit", "--queue", "q", "--json=short").output
                == Replies.submitted() + "\n")
        let lines = daemon.run("submit", "--queue", "q").outputLines
        #expect(lines[0] == "operation 17: a failure that may pass (rule http-unavailable)")
        #expect(lines[1].hasPrefix("tried again "))
    }

    @Test(arguments: [
        (["--http-status", "503"], 64, "--queue is missing"),
        (["--queue", "q", "--http-status", "5"], 64, "from 100 to 599"),
        (["--queue", "q", "--header", "A: b"], 64, "--header needs --http-status"),
        (["--queue", "q", "--http-status", "503", "--header", "A"], 64, "'NAME: VALUE'"),
        (["--queue", "q", "--exit-code", "1", "--signal", "9"], 64, "exclude each other"),
        (["--queue", "q", "--signal", "SIGWHAT"], 64, "there is no such signal"),
        (["--queue", "q", "--errno", "refused"], 64, "a name as ECONNREFUSED"),
        (["--queue", "q", "--priority", "500"], 64, "from -100 to 100"),
        (["--queue", "q", "--deadline", "never"], 64, "a time from now"),
        (["--queue", "q", "--idempotent", "--not-idempotent"], 64, "exclude each other"),
        (["--queue", "q", "--payload", "a", "--payload-file", "b"], 64, "exclude each other"),
        (["--queue", "q", "--error-json", "/nonexistent"], 66, "No such file"),
        (["--queue", "q", "--error-json", "-", "--stderr", "-"], 64, "for one option only"),
        (["--queue", "q", "--timeout", "5s"], 64, "--timeout needs a command"),
        (["--queue", "q", "--", "ls"], 64, "--queue and a command exclude each other"),
        (["--retry-on", "0", "--", "ls"], 64, "exit codes from 1 to 255"),
        (["--env", "NOT_SET_HERE", "--", "ls"], 64, "it is not set"),
    ])
    func refuses(arguments: [String], code: Int32, message: String) {
        let tool = Tool(["submit"] + arguments)
        #expect(tool.code == code)
        #expect(tool.messages.contains(message), "\(tool.messages)")
    }

    @Test func aMemberToldTwiceIsRefused() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try Files.writeAtomically(path, Array(#"{"http":{"status":500}}"#.utf8), mode: 0o600)
        let tool = Tool(["submit", "--queue", "q", "--error-json", path, "--http-status", "503"])
        #expect(tool.code == 64)
        #expect(tool.messages.contains("has a member \"http\" already"))
        try Files.writeAtomically(path, Array("[1]".utf8), mode: 0o600)
        #expect(Tool(["submit", "--queue", "q", "--error-json", path]).code == 65)
    }

    /// The daemon could but close the connection.
    @Test func aDocumentThatIsTooDeepIsRefusedBeforeItIsSent() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        func submit(depth: Int) throws -> Tool {
            let open = String(repeating: "{\"a\":", count: depth)
            let text = open + "1" + String(repeating: "}", count: depth)
            try Files.writeAtomically(path, Array(text.utf8), mode: 0o600)
            return Tool(["submit", "--queue", "q", "--error-json", path])
        }
        #expect(try submit(depth: 32).code == 69)
        let refused = try submit(depth: 33)
        #expect(refused.code == 65)
        #expect(refused.messages.contains("\(path): "))
    }
}
