import Testing
import Varlink

@testable import RetryDaemon

/// A command that cannot be run is refused when it is handed over.
@Suite
struct CommandPayloadTests {
    @Test(arguments: [
        #"{"argv": ["true"]}"#,
        #"{"argv": ["sh", "-c", "exit 75", ""], "cwd": "/", "umask": 18, "timeout_ms": 1,"#
            + #" "env": {"A": "", "B_2": "x=y"}, "stdin_base64": "aGk="}"#,
        #"{"argv": ["true"], "umask": 511, "stdin_base64": ""}"#,
    ])
    func takesCommands(json: String) throws {
        try Parsing.value(json) { try CommandPayload.check($0) }
    }

    @Test(arguments: [
        (#""true""#, "a command is an object with `argv`, an array of strings"),
        (#"{}"#, "`argv` is missing"),
        (#"{"argv": []}"#, "`argv` is empty"),
        (#"{"argv": [""]}"#, "the program's name is empty"),
        (#"{"argv": "rm -rf /"}"#, "`argv` must be an array of strings, not a line for a shell"),
        (#"{"argv": ["a", 1]}"#, "`argv` must be an array of strings without NUL"),
        (#"{"argv": ["a\u0000b"]}"#, "`argv` must be an array of strings without NUL"),
        (#"{"argv": ["a"], "cwd": "tmp"}"#, "`cwd` must be an absolute path"),
        (#"{"argv": ["a"], "cwd": "/a\u0000"}"#, "`cwd` must be an absolute path"),
        (#"{"argv": ["a"], "umask": 512}"#, "`umask` must be a whole number from 0 to 511"),
        (#"{"argv": ["a"], "umask": "022"}"#, "`umask` must be a whole number from 0 to 511"),
        (#"{"argv": ["a"], "env": ["A=1"]}"#, "`env` must be an object of strings"),
        (
            #"{"argv": ["a"], "env": {"A=B": "1"}}"#,
            "`env` must be an object of strings without NUL, names without ="
        ),
        (
            #"{"argv": ["a"], "env": {"": "1"}}"#,
            "`env` must be an object of strings without NUL, names without ="
        ),
        (#"{"argv": ["a"], "stdin_base64": "a"}"#, "`stdin_base64` is not base64"),
        (#"{"argv": ["a"], "timeout_ms": 0}"#, "`timeout_ms` must be a whole number above 0"),
        (#"{"argv": ["a"], "shell": true}"#, "a command has no member `shell`"),
    ])
    func refusesWhatCannotBeRun(json: String, reason: String) throws {
        let refusal = try Parsing.value(json) { value in
            try Parsing.refusal { try CommandPayload.check(value) }
        }
        #expect(refusal == "payload: \(reason)")
    }

    @Test
    func refusesWhatTheKernelWouldNotTake() throws {
        let half = String(repeating: "x", count: CommandPayload.wordsBytesMax / 2)
        let json = #"{"argv": ["\#(half)"], "env": {"A": "\#(half)"}}"#
        let refusal = try Parsing.value(json) { value in
            try Parsing.refusal { try CommandPayload.check(value) }
        }
        #expect(refusal == "payload: arguments and environment are longer than 131072 bytes")
    }

    @Test
    func aCommandWithoutPayloadIsRefused() throws {
        let refusal = try Parsing.refusal { try CommandPayload.check(nil) }
        #expect(refusal == "payload: a command is an object with `argv`, an array of strings")
    }
}
