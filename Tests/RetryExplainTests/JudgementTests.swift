import RetryExplain
import RetryModel
import RetryRules
import Testing

@Suite
struct JudgementTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func wait(_ header: String) throws -> Double? {
        try bench.judge(
            #"{"http":{"status":429,"headers":{"Retry-After":"\#(header)"}}}"#
        ).retryAfterSeconds
    }

    @Test
    func theWaitIsCutToThePolicysLongest() throws {
        #expect(try wait("120") == 120)
        #expect(try wait("21600") == 21_600)
        #expect(try wait("999999") == 21_600)
        #expect(try wait("soon") == nil)
        #expect(try bench.judge(#"{"http":{"status":429}}"#).retryAfterSeconds == nil)
    }

    /// Where the policy gives up beyond its longest wait, the wait is what made it give up.
    @Test
    func aWaitThatMakesGiveUpIsToldAsItIs() throws {
        var strict = Bench.exact
        strict.hintOverMax = .dead
        let judgement = try Bench(policies: [strict]).judge(
            #"{"http":{"status":429,"headers":{"Retry-After":"999999"}}}"#)
        #expect(judgement.decision.outcome == .dead(.hintBeyondCap))
        #expect(judgement.retryAfterSeconds == 999_999)
    }

    @Test
    func peopleAreToldWhatBecameOfIt() throws {
        func title(
            _ json: String, _ change: (inout Circumstances) -> Void = { _ in }
        ) throws -> String? {
            try bench.judge(json, change).messages(bench.explainer.rules, language: "en")?.title
        }
        let away = #"{"http":{"status":423}}"#
        #expect(try title(away) == "Come back")
        #expect(try title(away) { $0.attempt = 4 } == "It failed")
        #expect(try title(away) { $0.isIdempotent = false } == "It failed")
    }

    @Test(arguments: Cause.allCases)
    func everyCauseHasADecisionForPeople(cause: Cause) {
        let told = RuleDecision(told: .retry, .whenForeground, .none).told(as: cause)
        let isOver: Set<Cause> = [
            .outcomeUnknown, .recoveries, .attemptsExhausted, .tooOld, .deadline, .hintBeyondCap,
        ]
        #expect(
            told.phrase
                == (isOver.contains(cause)
                    ? "permanent introspect-cause" : "retry when-foreground"))
    }
}
