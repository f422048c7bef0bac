import RetryModel
import RetryRules
import Testing

/// What client libraries would recover from by themselves.
@Suite struct GraphPackTests {
    private let judge = Judge()
    private let throttled = #""http":{"status":400,"body":{"error":{"code":4,"fbtrace_id":"A"}}}"#

    @Test func aTransientErrorIsRetriedOnce() throws {
        let verdict = try judge.verdict(
            """
            {"request":{"method":"GET"},
            "http":{"status":500,"body":{"error":{"code":2,"fbtrace_id":"A"}}}}
            """
        )
        #expect(verdict.disposition == .retry)
        #expect(verdict.repeatMax == 1)
        #expect(verdict.repeatFallback == .introspect)
    }

    @Test func aNonceIsAskedForOnce() throws {
        let json =
            """
            {"http":{"status":400,"headers":{"DPoP-Nonce":"n"},
            "body":{"error":"use_dpop_nonce"}}}
            """
        let verdict = try judge.verdict(json)
        #expect(judge.name(verdict) == "dpop-nonce")
        #expect(verdict.repeatMax == 1)
        #expect(verdict.repeatFallback == .introspect)
    }

    @Test func itIsSwitchedOffPerRequestAndGlobally() throws {
        #expect(try judge.decision("{\(throttled)}") == "graph-throttled: retry")
        #expect(
            try judge.decision(#"{"recovery_disabled":true,\#(throttled)}"#)
                == "graph-recovery-disabled: permanent introspect-cause")
        let verdict = try judge.verdict("{\(throttled)}", recoversAutomatically: false)
        #expect(judge.name(verdict) == "graph-recovery-disabled")
    }

    @Test(arguments: [
        (#"{"size":3,"index":0}"#, "graph-recovery-disabled"), (#"{"size":1}"#, "graph-throttled"),
        ("true", "graph-recovery-disabled"), ("false", "graph-throttled"),
        ("5", "graph-recovery-disabled"), ("1", "graph-throttled"), ("null", "graph-throttled"),
    ])
    func membersOfABatchAreHandedBack(batch: String, rule: String) throws {
        let verdict = try judge.verdict(#"{"batch":\#(batch),\#(throttled)}"#)
        #expect(judge.name(verdict) == rule)
    }

    @Test func declinedPermissionsWaitForTheUser() throws {
        let verdict = try judge.verdict(#"{"graph":{"declined_permissions":["email"]}}"#)
        #expect(verdict.condition == .custom("graph-permissions"))
    }
}
