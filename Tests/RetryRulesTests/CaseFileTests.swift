import JSON
import RetryModel
import RetryRules
import Testing

@Suite struct CaseFileTests {
    private struct Case {
        var line: String
        var id: String
        var expected: String
        var waitSeconds: Double?
    }

    private func cases() throws -> [Case] {
        let text = String(
            decoding: bytes(ofFile: treePath("Tests/RetryRulesTests/Cases/classification.jsonl")),
            as: UTF8.self)
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 40)
        return try text.split(separator: "\n").map { line in
            let value = try parser.parse(Array(line.utf8))
            let expect = try #require(value["expect"])
            let parts = [expect["disposition"], expect["condition"], expect["action"]]
            return Case(
                line: String(line), id: try #require(value["id"]?.string),
                expected: parts.map { part in part?.string ?? "-" }.joined(separator: " "),
                waitSeconds: expect["retry_after_s"]?.double)
        }
    }

    private func describe(_ verdict: Verdict) -> String {
        let condition =
            switch verdict.condition {
            case .now: "now"
            case .whenForeground: "when-foreground"
            case .network: "network"
            case .custom(let name): "custom:\(name)"
            }
        let parts = [
            verdict.disposition.name.description,
            verdict.disposition == .retry ? condition : "-",
            verdict.action.name?.description ?? "-",
        ]
        return parts.joined(separator: " ")
    }

    @Test func everyCaseIsDecidedAsItSays() throws {
        let cases = try cases()
        #expect(cases.count == 270)
        let classifier = Classifier(shippedRules)
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 40)
        let hintMax = Double(Policy.standard.hintMax.usec) / 1e6
        for item in cases {
            let line = try parser.parse(Array(item.line.utf8))
            let failure = try #require(line["failure"])
            let verdict = classifier.classify(failure, ClassifierOptions(now: noon))
            let rule = verdict.rule.map { rule in shippedRules.rules[rule].name } ?? "none"
            #expect(describe(verdict) == item.expected, "\(item.id) by \(rule)")
            let wait = verdict.hintSeconds(now: noon).map { wait in min(wait, hintMax) }
            #expect(wait == item.waitSeconds, "\(item.id) by \(rule)")
        }
    }

    /// Explaining asks rule by rule, classifying looks rules up: both must find the same.
    @Test func explainingDecidesAsClassifying() throws {
        let classifier = Classifier(shippedRules)
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 40)
        for item in try cases() {
            let line = try parser.parse(Array(item.line.utf8))
            let failure = try #require(line["failure"])
            let verdict = classifier.classify(failure, ClassifierOptions(now: noon))
            let explanation = classifier.explain(failure, ClassifierOptions(now: noon))
            #expect(explanation.verdict == verdict, "\(item.id)")
            #expect(explanation.considered.last?.rule == verdict.rule || verdict.rule == nil)
        }
    }

    @Test func everySampleBesideARuleComesOutAsItSays() {
        let results = shippedRules.runTests(now: noon)
        #expect(results.count >= shippedRules.rules.count)
        for result in results {
            #expect(result.problem == nil, "\(result.file):\(result.line) \(result.rule)")
        }
    }

    @Test func everyRuleHasASample() {
        for rule in shippedRules.rules {
            #expect(!rule.tests.isEmpty, "\(rule.name)")
            #expect(!rule.description.isEmpty, "\(rule.name)")
        }
    }
}
