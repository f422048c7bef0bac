import RetryClient
import SystemKit
import Testing

@testable import RetryExec

@Suite struct AttemptStateTests {
    private let runner = ProcessIdentity(process: 17, startTicks: 123_456)

    @Test func readsWhatItWrites() throws {
        var command = CommandPayload(["sh", "-c", "exit \"1\""])
        command.program = "curl"
        command.retryOn = [3]
        command.timeoutMs = 500
        let state = AttemptState(
            id: 5, token: 2, runner: runner, command: command, isIdempotent: false,
            memoryKills: 9)
        #expect(AttemptState(parsing: state.json) == state)
        let plain = AttemptState(
            id: .max, token: 1, runner: runner, command: CommandPayload(["true"]),
            isIdempotent: nil, memoryKills: nil)
        #expect(AttemptState(parsing: plain.json) == plain)
    }

    @Test func keepsNoSecretsOfTheOwner() {
        var command = CommandPayload(["true"])
        command.environment = [.init(name: "PASSWORD", value: "p")]
        command.input = Array("secret".utf8)
        let state = AttemptState(
            id: 5, token: 2, runner: runner, command: command, isIdempotent: nil,
            memoryKills: nil)
        #expect(
            String(decoding: state.json, as: UTF8.self)
                == #"{"id":5,"token":2,"runner_pid":17,"runner_start_ticks":123456,"#
                + #""command":{"argv":["true"]}}"#)
    }

    @Test(arguments: [
        "", "?", "[]", #"{"id":1,"token":1,"runner_pid":1,"runner_start_ticks":1}"#,
        #"{"id":1,"token":1,"runner_pid":1,"runner_start_ticks":1,"command":{"argv":[]}}"#,
        #"{"id":1,"token":1,"runner_pid":99999999999,"runner_start_ticks":1,"#
            + #""command":{"argv":["x"]}}"#,
    ])
    func refuses(text: String) {
        #expect(AttemptState(parsing: Array(text.utf8)) == nil)
    }
}
