import RetryModel
import RetryRules
import Testing

/// What client libraries would recover from by themselves.
@Suite struct RecoveryTests {
    private let judge = Judge()
    private let throttled = #""http":{"status":400,"body":{"error":{"code":4,"fbtrace_id":"A"}}}"#

    @Test func aTransientErrorIsRetriedOnce() throws {
        let verdict = try judge.verdict(
            #"{"request":{"method":"GET"},"http":{"status":500,"body":{"error":{"code":2,"fbtrace_id":"A"}}}}"#)
        #expect(verdict.disposition == .retry)
        #expect(verdict.repeatMax == 1)
        #expect(verdict.repeatFallback == .introspect)
    }

    @Test func aNonceIsAskedForOnce() throws {
        let json = #"{"http":{"status":400,"headers":{"DPoP-Nonce":"n"},"body":{"error":"use_dpop_nonce"}}}"#
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

    @Test func peopleAreToldInTheirLanguage() throws {
        let verdict = try judge.verdict(
            #"{"http":{"status":400,"body":{"error":{"code":190,"fbtrace_id":"A"}}}}"#)
        let rule = judge.rules.rules[try #require(verdict.rule)]
        #expect(rule.messages("en")?.title == "Sign in again")
        #expect(rule.messages("de-AT")?.title == "Neu anmelden")
        #expect(rule.messages("de_AT.UTF-8")?.title == "Neu anmelden")
        #expect(rule.messages("fr")?.title == "Sign in again")
        #expect(rule.messages("en")?.options.map(\.effect) == [.retry, .cancel])
        #expect(rule.messages("de")?.options.map(\.name) == ["sign-in", "cancel"])
    }

    @Test func everyDecisionHasWords() throws {
        for json in [
            #"{"http":{"status":429}}"#, #"{"http":{"status":507}}"#, #"{"http":{"status":412}}"#,
            #"{"http":{"status":401}}"#, #"{"http":{"status":404}}"#, #"{"http":{"status":405}}"#,
            #"{"errno":{"name":"ENOSYS"}}"#, "{}", #"{"request":{"method":"POST"},"http":{"status":500}}"#,
        ] {
            let verdict = try judge.verdict(json)
            for language in ["en", "de"] {
                let messages = judge.rules.messages(for: verdict, language: language)
                #expect(messages?.language == language, "\(json)")
                #expect(messages?.title.isEmpty == false)
            }
        }
    }
}
