import RetryModel
import RetryRules
import Testing

/// What may have taken effect is repeated only where that is provably safe.
@Suite struct ClassifierGateTests {
    private let judge = Judge()

    private func isRetried(_ request: String, declared: Bool? = nil) throws -> Bool {
        let json = #"{"request":\#(request),"http":{"status":500}}"#
        let verdict = try judge.verdict(json, isIdempotent: declared)
        #expect((verdict.note == .outcomeUnknown) == (verdict.disposition == .permanent))
        return verdict.disposition == .retry
    }

    @Test(arguments: [
        (#"{"idempotent":true,"method":"POST"}"#, true), (#"{"idempotent":false}"#, false),
        (#"{"method":"POST"}"#, false), (#"{"method":"PATCH"}"#, false),
        (#"{"method":"GET"}"#, true), (#"{"method":"HEAD"}"#, true), (#"{"method":"PUT"}"#, true),
        (#"{"method":"DELETE"}"#, true), (#"{"method":"OPTIONS"}"#, true),
        (#"{"method":"TRACE"}"#, true), (#"{"method":"get"}"#, false),
        (#"{"method":"GET","idempotent":false}"#, false),
        (#"{"method":"POST","idempotency_key":"k"}"#, true),
        (#"{"method":"POST","idempotency_key":""}"#, false),
        (#"{"method":"POST","idempotency_key":null}"#, false),
        (#"{"method":"POST","idempotent":false,"idempotency_key":"k"}"#, true),
        (#"{"method":"POST","bytes_sent":false}"#, true),
        (#"{"method":"POST","bytes_sent":0}"#, true),
        (#"{"method":"POST","bytes_sent":true}"#, false),
        (#"{"method":"POST","bytes_sent":9}"#, false),
        (#"{"url":"https://x.test"}"#, false), ("{}", false), ("null", true),
    ])
    func theRequestProvesOrNot(request: String, isRetried expected: Bool) throws {
        #expect(try isRetried(request) == expected)
    }

    @Test func theOwnersWordCountsWhereTheDocumentIsSilent() throws {
        #expect(try isRetried(#"{"method":"POST"}"#, declared: true))
        #expect(try !isRetried(#"{"method":"POST","idempotent":false}"#, declared: true))
        #expect(try isRetried(#"{"method":"POST","idempotent":true}"#, declared: false))
        #expect(try !isRetried(#"{"method":"GET"}"#, declared: false))
        #expect(try !isRetried("null", declared: false))
    }

    @Test func whatWasNotAppliedPassesWhateverItIs() throws {
        let json = #"{"request":{"method":"POST","idempotent":false},"http":{"status":429}}"#
        #expect(try judge.decision(json) == "http-throttled: retry")
    }

    @Test func anUnknownOutcomeNeedsProofInEveryCase() throws {
        let unknown = #"{"sql":{"sqlstate":"08007"}}"#
        #expect(
            try judge.decision(unknown) == "sql-outcome-unknown: permanent introspect-cause")
        #expect(try judge.decision(unknown, isIdempotent: true) == "sql-outcome-unknown: retry")
    }

    @Test func onlyARetryIsHeldUp() throws {
        let json = #"{"request":{"idempotent":false},"http":{"status":412}}"#
        #expect(try judge.decision(json) == "http-precondition-failed: new-flow")
        #expect(try judge.verdict(json).note == .none)
    }

    @Test func aClosedGateLeavesNoWait() throws {
        let json = """
            {"request":{"method":"POST"},"http":{"status":500,"headers":{"Retry-After":"9"}}}
            """
        let verdict = try judge.verdict(json)
        #expect(verdict.hint == .none)
        #expect(judge.name(verdict) == "http-server-error")
        #expect(try judge.explanation(json).gate?.hasPrefix("closed:") == true)
    }
}
