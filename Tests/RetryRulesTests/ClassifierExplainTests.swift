import RetryModel
import RetryRules
import Testing

@Suite struct ClassifierExplainTests {
    private let judge = Judge()

    @Test func everyRuleAskedSaysWhyItDidNotMatch() throws {
        let explanation = try judge.explanation(
            #"{"request":{"method":"GET"},"http":{"status":409,"headers":{}}}"#)
        let names = explanation.considered.map { judge.rules.rules[$0.rule].name }
        #expect(names.last == "http-conflict")
        #expect(explanation.considered.last?.mismatch == nil)
        #expect(explanation.considered.dropLast().allSatisfy { $0.mismatch != nil })
        let unauthorized = explanation.considered.first {
            judge.rules.rules[$0.rule].name == "http-unauthorized"
        }
        #expect(unauthorized?.mismatch == "http.status is 409, not 401")
        let until = explanation.considered.first {
            judge.rules.rules[$0.rule].name == "http-forbidden-for-now"
        }
        #expect(until?.mismatch == "http.status is 409, not 403")
        // Rules about evidence that is not there are not asked.
        #expect(!names.contains("oauth-invalid-grant"))
        #expect(!names.contains("http-server-error"))
    }

    @Test func theEvidenceIsListed() throws {
        let explanation = try judge.explanation(
            """
            {"process":{"program":"/usr/bin/curl","exit_code":22,
            "stderr_tail":"returned error: 503"}}
            """
        )
        let evidence = Dictionary(
            uniqueKeysWithValues: explanation.evidence.map { ($0.path, $0.value) })
        #expect(evidence["process.name"] == "'curl'")
        #expect(evidence["http.status"] == "503")
        #expect(evidence["process.exit_code"] == "22")
    }

    @Test func hintsAreToldReadOrIgnored() throws {
        let explanation = try judge.explanation(
            """
            {"http":{"status":429,"headers":{"Retry-After":"-5","retry-after-ms":"2500"}}}
            """)
        #expect(
            explanation.hints.map(\.path) == [
                "http.headers.retry-after", "http.headers.retry-after-ms",
            ])
        #expect(explanation.hints.map(\.wait) == [nil, .after(.milliseconds(2_500))])
        #expect(explanation.hints.first?.value == "'-5'")
    }

    @Test func theGateIsTold() throws {
        #expect(
            try judge.explanation(#"{"http":{"status":429}}"#).gate
                == "open: the attempt certainly had no effect")
        #expect(try judge.explanation(#"{"http":{"status":404}}"#).gate == nil)
    }

    @Test func longValuesAreCut() throws {
        let text = String(repeating: "x", count: 5_000)
        let explanation = try judge.explanation(#"{"http":{"status":404,"body":"\#(text)"}}"#)
        let value = explanation.evidence.first { $0.path == "http.body" }?.value
        #expect(value?.utf8.count ?? 0 < 200)
        #expect(value?.hasSuffix("…'") == true)
    }

    @Test func conditionsOfARuleCanBeRead() throws {
        let rules = try ruleSet(
            """
            [pack]
            when.process.program = "tool"
            [[rule]]
            name = "x"
            when = [{ http.status = [1, "5-9"] }, { a.exists = false, b.contains = "q" }]
            phase = "body"
            then = "retry"
            """)
        let conditions = rules.conditions(of: 0)
        #expect(
            conditions.any == [
                ["http.status is 1 or 5-9"], ["a is absent", "b contains 'q'"],
            ])
        #expect(conditions.pack == [["process.program is 'tool'"]])
    }
}
