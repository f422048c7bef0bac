import RetryModel
import RetryRules
import Testing

/// What no rule knows is permanent, unless the submitter wants it retried.
@Suite struct ClassifierTests {
    private let judge = Judge()
    private let unknown = #"{"process":{"program":"job","exit_code":1}}"#

    @Test func theUnknownIsPermanent() throws {
        let verdict = try judge.verdict(unknown)
        #expect(verdict.disposition == .permanent)
        #expect(verdict.action == .introspectCause)
        #expect(verdict.rule == nil)
        #expect(verdict.note == .none)
        #expect(try judge.decision("{}") == "none: permanent introspect-cause")
    }

    @Test func theSubmitterMayWantItRetried() throws {
        let verdict = try judge.verdict(unknown, retriesUnknown: true)
        #expect(verdict.disposition == .retry)
        #expect(verdict.action == .none)
        #expect(verdict.note == .unknownRetried)
    }

    @Test func aPositivePermanentMatchStillStopsIt() throws {
        #expect(
            try judge.decision(
                #"{"process":{"program":"job","exit_code":78}}"#, retriesUnknown: true)
                == "exit-misconfigured: permanent modify-configuration")
    }

    @Test func declaredNotIdempotentItIsNotRetriedBlindly() throws {
        let verdict = try judge.verdict(unknown, retriesUnknown: true, isIdempotent: false)
        #expect(verdict.disposition == .permanent)
        #expect(verdict.note == .outcomeUnknown)
    }

    /// curl's 75 is not sysexits' 75, and nobody knows what it is.
    @Test func aRuleMaySayThatItKnowsNothing() throws {
        let json = #"{"process":{"program":"curl","exit_code":75}}"#
        #expect(try judge.decision(json) == "curl-other: permanent introspect-cause")
        #expect(try judge.decision(json, retriesUnknown: true) == "curl-other: retry")
    }

    @Test func errorsOfAnSDKAreNeverRetriedForBeingUnknown() throws {
        #expect(
            try judge.decision(#"{"haapi":{"case":"new"}}"#, retriesUnknown: true)
                == "haapi-unknown: permanent introspect-cause")
        #expect(
            try judge.decision(#"{"sdk":{"error":"new"}}"#, retriesUnknown: true)
                == "sdk-refusal: permanent modify-configuration")
    }

    @Test(arguments: ["5", #""text""#, "[]", "null", "true", "1.5"])
    func whatIsNoObjectIsSaidToBe(json: String) throws {
        let verdict = try judge.verdict(json)
        #expect(verdict.note == .notAnObject)
        #expect(verdict.disposition == .permanent)
        #expect(try judge.explanation(json).verdict == verdict)
    }

    @Test func anEmptyRuleSetKnowsNothing() throws {
        #expect(
            try Judge(.empty).decision(#"{"http":{"status":503}}"#)
                == "none: permanent introspect-cause")
    }
}
