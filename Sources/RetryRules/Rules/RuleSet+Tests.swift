package import JSON
package import RetryModel
package import TOML

/// How a sample beside a rule came out.
package struct RuleTestResult: Hashable, Sendable {
    package var file: String
    package var line: Int
    /// The rule it stands beside.
    package var rule: String
    /// What is not as the sample wants it; nil: all is.
    package var problem: String?
}

extension RuleSet {
    /// Runs the samples of all rules, which must have been kept when the set was compiled.
    ///
    /// - Parameter now: The time of receipt for samples that name none.
    package func runTests(now: WallTime) -> [RuleTestResult] {
        let classifier = Classifier(self)
        let parser = JSONParser(
            lengthMax: Limits.failureBytesMax, depthMax: Limits.failureDepthMax)
        var results: [RuleTestResult] = []
        for rule in rules {
            for test in rule.tests {
                results.append(
                    RuleTestResult(
                        file: rule.file, line: test.line, rule: rule.name,
                        problem: problem(with: test, classifier, parser, now)))
            }
        }
        return results
    }

    private func problem(
        with test: RuleTest, _ classifier: Classifier, _ parser: JSONParser, _ now: WallTime
    ) -> String? {
        var writer = JSONWriter()
        test.failure.write(to: &writer)
        let failure: JSONValue
        do {
            failure = try parser.parse(writer.bytes)
        } catch {
            return "the failure can't be read: \(error.message)"
        }
        let options = ClassifierOptions(now: now, retriesUnknown: test.retriesUnknown)
        let verdict = classifier.classify(failure, options)
        let name = verdict.rule.map { rule in rules[rule].name } ?? "no rule"
        guard name == test.rule else { return "\(name) decides, not \(test.rule)" }
        let decision = RuleDecision(
            verdict.disposition, condition: verdict.condition, action: verdict.action)
        guard decision.phrase == Self.asDecided(test.expected, test.retriesUnknown).phrase else {
            return "the decision is '\(decision.phrase)', not '\(test.expected.phrase)'"
        }
        guard let expected = test.waitSeconds else { return nil }
        let wait = verdict.hintSeconds(now: now) ?? 0
        return wait == expected ? nil : "the wait is \(wait) s, not \(expected) s"
    }

    /// `unknown` is what the submitter makes of it.
    private static func asDecided(_ decision: RuleDecision, _ retries: Bool) -> RuleDecision {
        guard decision.isUnknown else { return decision }
        return retries
            ? RuleDecision(.retry) : RuleDecision(.permanent, action: .introspectCause)
    }
}

extension Verdict {
    /// The wait asked for, in seconds from the receipt of the failure; nil: none.
    package func hintSeconds(now: WallTime) -> Double? {
        switch hint {
        case .none: nil
        case .after(let span): Double(span.usec) / 1e6
        case .at(let time): Double((time - (receivedAt ?? now)).usec) / 1e6
        }
    }
}

extension TOMLValue {
    /// Writes the value as JSON; dates become texts.
    package func write(to writer: inout JSONWriter) {
        switch content {
        case .table(let table):
            writer.beginObject()
            for entry in table.entries {
                writer.name(entry.key)
                entry.value.write(to: &writer)
            }
            writer.endObject()
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .string(let text), .date(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .bool(let flag): writer.bool(flag)
        }
    }
}
