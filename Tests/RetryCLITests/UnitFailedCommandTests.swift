import RetryClient
import Testing

@testable import RetryCLI

/// What systemd tells by variables, as a failure.
@Suite
struct UnitFailedCommandTests {
    private static let invocation = "73527341dd9d4c6dad505d3c07bc8735"

    private func failure(_ variables: [String: String]) -> UnitFailure {
        let all = variables.merging(
            [
                "MONITOR_UNIT": "a.service",
                "MONITOR_INVOCATION_ID": UnitFailedCommandTests.invocation,
            ]
        ) { own, _ in own }
        return UnitFailedCommand.failure(of: "a.service") { all[$0] }
    }

    @Test
    func anExitCode() {
        let failure = failure([
            "MONITOR_SERVICE_RESULT": "exit-code", "MONITOR_EXIT_CODE": "exited",
            "MONITOR_EXIT_STATUS": "75",
        ])
        #expect(
            failure.json.string
                == #"{"event_id":"systemd-invocation:\#(UnitFailedCommandTests.invocation)","#
                + #""request":{"unit":"a.service"},"#
                + #""message":"unit a.service failed with result exit-code","#
                + #""process":{"program":"a.service","service_result":"exit-code","#
                + #""exit_code":75}}"#)
    }

    @Test
    func aSignal() {
        let failure = failure([
            "MONITOR_SERVICE_RESULT": "watchdog", "MONITOR_EXIT_CODE": "dumped",
            "MONITOR_EXIT_STATUS": "ABRT",
        ])
        #expect(failure.end == .killed(signal: 6, coreDumped: true))
        #expect(failure.result == "watchdog")
        #expect(failure.json.string.contains(#""signal":"SIGABRT","core_dumped":true"#))
    }

    /// Several units that fail at once start it without the variables.
    @Test
    func withoutVariables() {
        let failure = failure(["MONITOR_UNIT": "b.service", "MONITOR_SERVICE_RESULT": "timeout"])
        #expect(failure == UnitFailure(unit: "a.service", result: "failed"))
    }
}
