import RetryExplain
import RetryModel
import RetryRules
import Testing

@Suite
struct ExplainerTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test
    func judgingAndExplainingSayTheSame() throws {
        for json in [
            #"{"http":{"status":429,"headers":{"Retry-After":"9"}}}"#, #"{"http":{"status":500}}"#,
            #"{"http":{"status":401}}"#, "{}", "[1]",
        ] {
            let judged = try bench.judge(json)
            let explained = try bench.explain(json).judgement
            #expect(judged.verdict == explained.verdict, "\(json)")
            #expect(judged.decision == explained.decision, "\(json)")
            #expect(judged.rule?.name == explained.rule?.name)
        }
    }

    @Test
    func thePolicyIsTheOperationsThenTheRules() throws {
        let once = #"{"http":{"status":500}}"#
        #expect(try bench.judge(once).policy.name == "quick")
        #expect(try bench.judge(once) { $0.policy = "default" }.policy.name == "default")
        #expect(try bench.judge(once) { $0.policy = "gone" }.policy.name == "quick")
        #expect(try bench.judge(#"{"http":{"status":429}}"#).policy.name == "default")
        #expect(bench.explainer.knowsPolicy("quick"))
        #expect(!bench.explainer.knowsPolicy("gone"))
    }

    @Test
    func attemptsBeforeAreTakenToHaveFailedAlike() throws {
        let once = #"{"http":{"status":500}}"#
        #expect(try bench.judge(once).decision.disposition == .retry)
        let second = try bench.judge(once) { $0.attempt = 2 }
        #expect(second.decision.disposition == .permanent)
        #expect(second.note?.description == "limit-spent")
        let last = try bench.judge(#"{"http":{"status":429}}"#) { $0.attempt = 4 }
        #expect(last.decision.outcome == .dead(.attemptsExhausted))
        #expect(last.note == nil)
    }

    @Test
    func aNamedSignInIsHeldInPlaceOfTheOperationBeingParked() throws {
        let refused = #"{"http":{"status":401}}"#
        #expect(try bench.judge(refused).decision.outcome == .parked(.reauthenticate))
        let held = try bench.explain(refused) { $0.hasCredential = true }
        #expect(held.judgement.decision.outcome == .waiting)
        #expect(held.schedule == nil)
    }

    @Test
    func unknownFailuresAreRetriedOnRequestAndWithProofOnly() throws {
        #expect(try bench.judge("{}").decision.outcome == .dead(.permanent))
        let wanted = try bench.judge("{}") { $0.retriesUnknown = true }
        #expect(wanted.decision.disposition == .retry)
        #expect(wanted.note?.description == "unknown-retried")
        let unsafe = try bench.judge("{}") {
            $0.retriesUnknown = true
            $0.isIdempotent = false
        }
        #expect(unsafe.decision.outcome == .dead(.permanent))
        #expect(unsafe.note?.description == "outcome-unknown")
    }
}
