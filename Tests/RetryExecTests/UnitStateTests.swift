import RetryClient
import SystemKit
import Testing

@testable import RetryExec

/// What an attempt makes of a unit's properties.
@Suite
struct UnitStateTests {
    private func state(_ active: String, _ sub: String, _ result: String = "success") -> UnitState {
        UnitState(
            .dictionary([
                .text("ActiveState"): .text(active), .text("SubState"): .text(sub),
                .text("Result"): .text(result), .text("ExecMainCode"): .integer(2),
                .text("ExecMainStatus"): .integer(9),
                .text("InvocationID"): .list([.integer(0x0A), .integer(0xFF)]),
            ]))
    }

    @Test
    func aServiceRunsAndTheRestIsDone() {
        #expect(state("active", "running").verdict(isService: true) == .runs)
        #expect(state("active", "exited").verdict(isService: true) == .succeeded)
        #expect(state("active", "mounted").verdict(isService: false) == .succeeded)
        #expect(state("inactive", "dead").verdict(isService: true) == .succeeded)
        #expect(state("inactive", "dead", "timeout").verdict(isService: true) == .failed)
        #expect(state("failed", "failed", "signal").verdict(isService: true) == .failed)
        #expect(state("activating", "auto-restart").verdict(isService: true) == .changes)
    }

    @Test
    func aFailureTellsHowItEnded() {
        let failure = state("failed", "failed", "oom-kill").failure(of: "a.service")
        #expect(failure.end == .killed(signal: 9, coreDumped: false))
        #expect(failure.invocation == "0aff")
        #expect(failure.json.string.contains(#""oom_kill":true"#))
    }
}
