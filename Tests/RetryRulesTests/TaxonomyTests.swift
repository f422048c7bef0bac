import JSON
import RetryModel
import RetryRules
import Testing

/// Every row of the tables of facts, one failure each: Cases/taxonomy.jsonl holds `failure`,
/// `expect` (a phrase as in `then`) and, where one is told, `wait` in seconds (0: none).
@Suite struct TaxonomyTests {
    @Test func everyRowIsDecidedAsTheTablesSay() throws {
        let text = String(
            decoding: bytes(ofFile: treePath("Tests/RetryRulesTests/Cases/taxonomy.jsonl")),
            as: UTF8.self)
        let parser = JSONParser(lengthMax: 1 << 16, depthMax: 40)
        let classifier = Classifier(shippedRules)
        var count = 0
        for line in text.split(separator: "\n") {
            count += 1
            let row = try parser.parse(Array(line.utf8))
            let failure = try #require(row["failure"])
            let verdict = classifier.classify(failure, ClassifierOptions(now: noon))
            let decision = RuleDecision(
                verdict.disposition, condition: verdict.condition, action: verdict.action)
            let rule = verdict.rule.map { rule in shippedRules.rules[rule].name } ?? "none"
            #expect(decision.phrase == row["expect"]?.string, "\(line) by \(rule)")
            if let wait = row["wait"]?.double {
                #expect(verdict.hintSeconds(now: noon) ?? 0 == wait, "\(line) by \(rule)")
            }
        }
        #expect(count >= 700)
    }
}
