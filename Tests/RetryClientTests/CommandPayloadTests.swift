import RetryClient
import Testing

@Suite struct CommandPayloadTests {
    @Test func writesWhatIsThere() throws {
        #expect(CommandPayload(["true"]).json.string == #"{"argv":["true"]}"#)
        var command = CommandPayload(["sh", "-c", "echo \"$A\""])
        command.workingDirectory = "/srv"
        command.umask = 0o022
        command.environment = [.init(name: "PATH", value: "/bin"), .init(name: "A", value: "ä")]
        command.input = [0, 1, 2, 3]
        command.timeoutMs = 1_500
        command.program = "curl"
        command.retryOn = [1, 7]
        command.waitsForForeground = true
        #expect(
            command.json.string
                == #"{"argv":["sh","-c","echo \"$A\""],"cwd":"/srv","umask":18,"#
                + #""env":{"PATH":"/bin","A":"ä"},"stdin_base64":"AAECAw==","timeout_ms":1500,"#
                + #""program":"curl","retry_on":[1,7],"when_foreground":true}"#)
        #expect(try CommandPayload(parsing: command.json) == command)
    }

    @Test(arguments: [
        ("nonsense", "the payload is no JSON"),
        ("[]", "the payload of a command must be an object"),
        ("{}", "\"argv\" must name a program"),
        (#"{"argv":[]}"#, "\"argv\" must name a program"),
        (#"{"argv":[""]}"#, "\"argv\" must name a program"),
        (#"{"argv":"ls -l"}"#, "\"argv\" must be an array of strings"),
        (#"{"argv":["ls",1]}"#, "\"argv\" must be an array of strings"),
        (#"{"argv":["l\u0000s"]}"#, "\"argv\" holds a NUL, which no argument can"),
        (#"{"argv":["ls"],"cwd":"srv"}"#, "\"cwd\" must be an absolute path"),
        (#"{"argv":["ls"],"umask":512}"#, "\"umask\" must be a whole number from 0 to 511"),
        (#"{"argv":["ls"],"umask":"0022"}"#, "\"umask\" must be a whole number from 0 to 511"),
        (#"{"argv":["ls"],"env":["A=1"]}"#, "\"env\" must be an object of strings"),
        (#"{"argv":["ls"],"env":{"A":1}}"#, "\"env\" must be an object of strings"),
        (#"{"argv":["ls"],"env":{"A=B":"1"}}"#, "\"env\" holds a name or value that no"),
        (#"{"argv":["ls"],"stdin_base64":"?"}"#, "\"stdin_base64\" must be base64"),
        (#"{"argv":["ls"],"timeout_ms":0}"#, "\"timeout_ms\" must be a positive integer"),
        (#"{"argv":["ls"],"retry_on":[256]}"#, "\"retry_on\" must be exit codes from 1 to 255"),
        (#"{"argv":["ls"],"shell":true}"#, "a command has no member \"shell\""),
    ])
    func refuses(json: String, message: String) {
        let error = #expect(throws: CommandPayload.Malformed.self) {
            try CommandPayload(parsing: RawJSON(Array(json.utf8)))
        }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "none")")
    }
}
