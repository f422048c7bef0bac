import RetryModel
import RetryRules
import Testing

@Suite struct RuleMessagesTests {
    private let judge = Judge()

    @Test func peopleAreToldInTheirLanguage() throws {
        let verdict = try judge.verdict(
            #"{"http":{"status":400,"body":{"error":{"code":190,"fbtrace_id":"A"}}}}"#)
        let rule = judge.rules.rules[try #require(verdict.rule)]
        #expect(rule.messages("en")?.title == "Sign in again")
        #expect(rule.messages("de-AT")?.title == "Neu anmelden")
        #expect(rule.messages("de_AT.UTF-8")?.title == "Neu anmelden")
        #expect(rule.messages("fr")?.title == "Sign in again")
        #expect(rule.messages("en")?.options.map(\.effect) == [.signIn, .cancel])
        #expect(rule.messages("de")?.options.map(\.name) == ["sign-in", "cancel"])
    }

    /// A rule that retries once says "it is tried again by itself"; when it has had its turn that
    /// is no longer so.
    @Test func textsOfARuleSpeakOfItsOwnDecisionOnly() throws {
        let rule = try #require(judge.rules.rule(named: "graph-transient-flag"))
        func title(_ decision: RuleDecision) -> String? {
            judge.rules.messages(rule: rule, decision: decision, language: "en")?.title
        }
        #expect(title(RuleDecision(.retry)) == "Please try again")
        #expect(title(RuleDecision(.permanent, action: .introspectCause)) == "It failed")
        #expect(
            judge.rules.messages(rule: nil, decision: RuleDecision(.retry), language: "de")?.title
                == "Es wird noch einmal versucht")
    }

    @Test func everyDecisionHasWords() throws {
        for json in [
            #"{"http":{"status":429}}"#, #"{"http":{"status":507}}"#, #"{"http":{"status":412}}"#,
            #"{"http":{"status":401}}"#, #"{"http":{"status":404}}"#, #"{"http":{"status":405}}"#,
            #"{"errno":{"name":"ENOSYS"}}"#, "{}",
            #"{"request":{"method":"POST"},"http":{"status":500}}"#,
        ] {
            let verdict = try judge.verdict(json)
            let rule = verdict.rule.map { judge.rules.rules[$0] }
            let decision = RuleDecision(
                verdict.disposition, condition: verdict.condition, action: verdict.action)
            for language in ["en", "de"] {
                let messages = judge.rules.messages(
                    rule: rule, decision: decision, language: language)
                #expect(messages?.language == language, "\(json)")
                #expect(messages?.title.isEmpty == false)
            }
        }
    }
}
