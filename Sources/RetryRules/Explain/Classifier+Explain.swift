package import JSON
import RetryModel

extension Classifier {
    /// What a failure means, and how that was found: every rule that could have matched and why
    /// it did not. The same questions are asked as by `classify`, in the order of the rules.
    package func explain(_ failure: JSONValue, _ options: ClassifierOptions) -> Explanation {
        let trace = Trace(self)
        self.trace = trace
        defer { self.trace = nil }
        let verdict = classify(failure, options)
        var explanation = Explanation(
            verdict: verdict, evidence: [], considered: trace.considered, causes: trace.causes,
            hints: trace.hints, gate: trace.gate?.sentence)
        guard verdict.note != .notAnObject else { return explanation }
        for slot in 0..<facts.slotCount where facts.has(slot) {
            explanation.evidence.append(
                Explanation.Evidence(
                    path: program.slotNames[slot], value: trace.value(inSlot: slot)))
        }
        explanation.evidence.sort { left, right in left.path < right.path }
        return explanation
    }

    /// `firstMatch` rule by rule, with notes.
    func tracedMatch(_ stage: Stage) -> Int? {
        guard let trace else { return nil }
        var number = 0
        while number < program.alternatives.count {
            let rule = Int(program.alternatives[number].rule)
            var end = number
            var mismatch: String?
            var isMatch = false
            // A rule's alternatives stand side by side.
            while end < program.alternatives.count, end < program.ruleAlternativeCount,
                Int(program.alternatives[end].rule) == rule
            {
                let alternative = program.alternatives[end]
                end += 1
                guard !isMatch, isWorthAsking(alternative) else { continue }
                if let found = self.mismatch(alternative) {
                    mismatch = mismatch ?? found
                } else {
                    isMatch = true
                }
            }
            guard end > number else { break }
            number = end
            guard Stage(rules.rules[rule].phase) == stage else { continue }
            if isMatch || mismatch != nil {
                trace.considered.append(
                    Explanation.Consideration(
                        rule: rule, mismatch: isMatch ? nil : mismatch, cause: trace.cause))
            }
            if isMatch {
                trace.decided()
                return rule
            }
        }
        return nil
    }

    /// Something the alternative asks for is there, or it asks for nothing to be there.
    private func isWorthAsking(_ alternative: Alternative) -> Bool {
        var asksForSomething = false
        for index in alternative.requirements.range {
            let requirement = program.requirements[index]
            guard !requirement.isNegated else { continue }
            if facts.has(Int(requirement.slot)) { return true }
            asksForSomething = true
        }
        return !asksForSomething
    }

    /// The first thing that is not as the alternative wants it; nil: it holds.
    private func mismatch(_ alternative: Alternative) -> String? {
        for index in alternative.requirements.range {
            let requirement = program.requirements[index]
            if !holds(requirement) { return sentence(on: requirement) }
        }
        guard !holds(alternative) else { return nil }
        return "the condition of its pack does not hold"
    }

    private func sentence(on requirement: Requirement) -> String {
        let path = program.slotNames[Int(requirement.slot)]
        guard let trace, facts.has(Int(requirement.slot)) else { return "\(path) is absent" }
        let value = trace.value(inSlot: Int(requirement.slot))
        let wanted = program.values(of: requirement)
        switch (requirement.test, requirement.isNegated) {
        case (.exists, _): return "\(path) is there"
        case (.any, false): return "\(path) is \(value), not \(wanted)"
        case (.any, true): return "\(path) is \(value)"
        case (.contains, false): return "\(path) does not contain \(wanted)"
        case (.contains, true): return "\(path) contains \(wanted)"
        case (.word, false): return "\(path) is \(value), not the word \(wanted)"
        case (.word, true): return "\(path) is the word \(value)"
        case (.form, false): return "\(path) is \(value), which is no \(requirement.form.name)"
        case (.form, true): return "\(path) is \(value), which is a \(requirement.form.name)"
        }
    }
}

extension Classifier.GateFinding {
    /// For people.
    var sentence: String {
        switch self {
        case .notApplied: "open: the attempt certainly had no effect"
        case .declaredIdempotent: "open: it is declared idempotent"
        case .hasIdempotencyKey: "open: it carries an idempotency key"
        case .nothingSent: "open: nothing was sent"
        case .idempotentMethod: "open: the method is idempotent (RFC 9110 section 9.2.2)"
        case .noRequest: "open: the failure describes no request that could have been applied"
        case .declaredNotIdempotent:
            "closed: it may have been applied and is declared not idempotent"
        case .notProven:
            "closed: it may have been applied and nothing proves that repeating it is safe"
                + " (request.idempotent, request.idempotency_key, request.bytes_sent or an"
                + " idempotent request.method would)"
        }
    }
}
