import RetryClient
import SystemKit
import Testing

@testable import RetryCLI

@Suite struct FirstAttemptTests {
    private func judge(
        _ end: ProcessFailure.End, _ stoppedBy: ProcessSignal? = nil
    ) -> String {
        let ended = CommandRun.Ended(end: end, errorTail: [], timedOut: false)
        return switch FirstAttempt.judge(ended, stoppedBy: stoppedBy) {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .interrupted(let exitCode): "interrupted \(exitCode)"
        case .notRun: "not run"
        }
    }

    @Test(arguments: [("hello", "succeeded"), ("other", "failed")])
    func theCommandReadsWhatWasKept(text: String, result: String) throws {
        let made = try FirstAttempt.make(
            ["sh", "-c", "[ \"$(cat)\" = hello ]"], input: .spooled(Array(text.utf8)),
            timeoutMs: nil)
        switch made {
        case .succeeded: #expect(result == "succeeded")
        case .failed: #expect(result == "failed")
        case .interrupted, .notRun: Issue.record("\(made)")
        }
    }

    @Test func whoeverStopsItDoesNotWantItAgain() {
        #expect(judge(.exited(code: 0)) == "succeeded")
        #expect(judge(.exited(code: 130)) == "failed")
        #expect(judge(.killed(signal: 15, coreDumped: false)) == "failed")
        #expect(judge(.killed(signal: 2, coreDumped: false)) == "interrupted 130")
        #expect(judge(.exited(code: 1), .interrupt) == "interrupted 130")
        #expect(judge(.exited(code: 1), .terminate) == "interrupted 143")
        #expect(judge(.killed(signal: 1, coreDumped: false), .hangUp) == "interrupted 129")
        // It finished all the same.
        #expect(judge(.exited(code: 0), .interrupt) == "succeeded")
    }
}
