import RetryModel
import TOML

extension PackReader {
    func readRule(
        _ value: TOMLValue, defaults: PackDefaults
    ) throws(RuleError) -> RuleDefinition {
        let table = try table(value, "rule")
        try checkKeys(
            table, of: "[[rule]]",
            allowed: [
                "name", "phase", "description", "source", "when", "then", "messages", "test",
            ])
        let name = try ruleName(table, of: value)
        let told = try table["phase"].map(self.phase) ?? defaults.phase
        let when = try readWhen(try required(table, "when", of: value))
        guard let phase = told ?? RulePhase(evidence: when) else {
            throw noPhase(value, when)
        }
        let then = try required(table, "then", of: value)
        var rule = Rule(
            name: name, phase: phase, file: file, line: value.position.line, description: "",
            source: "", then: try readThen(then, defaults: defaults), texts: [], tests: [])
        if let text = table["description"] { rule.description = try string(text, "description") }
        if let text = table["source"] { rule.source = try string(text, "source") }
        if let texts = table["messages"] {
            rule.texts = try readTexts(try self.table(texts, "messages"))
        }
        for test in try tables(table, "test") {
            let test = try readTest(test, of: rule)
            if keepsTests { rule.tests.append(test) }
        }
        return RuleDefinition(
            rule: rule, position: value.position,
            hintPosition: then.table?["hint"]?.position ?? defaults.hintPosition,
            when: when)
    }

    private func noPhase(_ rule: TOMLValue, _ when: [WhenDefinition]) -> RuleError {
        for condition in when.flatMap(\.conditions) {
            guard let nearest = KnownPaths().nearest(to: condition.path) else { continue }
            return error(
                condition.position, "unknown path '\(condition.path.text)'", nearest: nearest)
        }
        return error(
            rule.position, "'phase' is missing, [pack] names none, and the conditions tell none")
    }

    /// A name is a word people read: letters, digits and hyphens.
    private func ruleName(
        _ table: TOMLTable, of value: TOMLValue
    ) throws(RuleError) -> String {
        let written = try required(table, "name", of: value)
        let name = try string(written, "name")
        let isWord = name.utf8.allSatisfy { byte in
            byte == 0x2D || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
                || (0x41...0x5A).contains(byte) || byte == 0x5F || byte == 0x2E
        }
        guard isWord, name.utf8.count <= Limits.nameBytesMax else {
            throw error(
                written.position, "a rule's name is letters, digits, '-', '_' and '.' only")
        }
        return name
    }

    /// A phrase, or a table with a phrase under `decision`.
    func readThen(
        _ value: TOMLValue, defaults: PackDefaults
    ) throws(RuleError) -> RuleConsequence {
        guard let table = value.table else {
            var then = RuleConsequence(decision: try decision(value))
            then.applied = defaults.applied
            if then.decision.disposition == .retry {
                then.hints = defaults.hints
                then.policy = defaults.policy
                then.policyPlace = defaults.policyPlace
            }
            return then
        }
        try checkKeys(
            table, of: "'then'",
            allowed: [
                "decision", "hint", "hint-pick", "policy", "applied", "limit", "after-limit",
            ])
        let phrase = try required(table, "decision", of: value)
        guard phrase.table == nil else { throw error(phrase.position, "'decision' is a phrase") }
        var then = try readThen(phrase, defaults: defaults)
        let isRetry = then.decision.disposition == .retry
        for key in ["hint", "hint-pick", "policy", "applied", "limit", "after-limit"] {
            guard let entry = table.entry(key), !isRetry else { continue }
            throw error(entry.keyPosition, "'\(key)' has a meaning with 'retry' only")
        }
        if let hint = table["hint"] { then.hints = try strings(hint, "hint") }
        if let policy = table["policy"] {
            then.policy = try string(policy, "policy")
            then.policyPlace = place(policy)
        }
        if let applied = table["applied"] { then.applied = try self.applied(applied) }
        if let limit = table["limit"] {
            then.limit = UInt8(clamping: try integer(limit, "limit", in: 1...255))
        }
        if let after = table["after-limit"] { then.afterLimit = try self.decision(after) }
        if let pick = table["hint-pick"] {
            then.hintPick =
                try word(pick, "hint-pick", ["first", "largest"], \.self) == "first"
                ? .first : .largest
        }
        return then
    }

    // MARK: Texts

    func readTexts(_ languages: TOMLTable) throws(RuleError) -> [RuleMessages] {
        var texts: [RuleMessages] = []
        for entry in languages.entries {
            let table = try table(entry.value, entry.key)
            try checkKeys(
                table, of: "texts", allowed: ["title", "description", "suggestion", "options"])
            var messages = RuleMessages(
                language: entry.key, title: try requiredString(table, "title", of: entry.value))
            if let text = table["description"] {
                messages.description = try string(text, "description")
            }
            if let text = table["suggestion"] {
                messages.suggestion = try string(text, "suggestion")
            }
            for option in try tables(table, "options") {
                messages.options.append(try readOption(option))
            }
            texts.append(messages)
        }
        return texts
    }

    private func readOption(_ value: TOMLValue) throws(RuleError) -> RuleMessages.Option {
        let table = try table(value, "options")
        try checkKeys(table, of: "an option", allowed: ["name", "label", "does"])
        return RuleMessages.Option(
            name: try requiredString(table, "name", of: value),
            label: try requiredString(table, "label", of: value),
            effect: try word(
                try required(table, "does", of: value), "does", RuleMessages.Effect.allCases,
                \.name))
    }

    // MARK: Samples

    private func readTest(_ value: TOMLValue, of rule: Rule) throws(RuleError) -> RuleTest {
        let table = try table(value, "test")
        try checkKeys(
            table, of: "[[rule.test]]",
            allowed: ["failure", "expect", "rule", "wait", "retries-unknown"])
        let failure = try required(table, "failure", of: value)
        _ = try self.table(failure, "failure")
        var test = RuleTest(
            failure: failure, line: value.position.line, expected: rule.then.decision,
            rule: rule.name, waitSeconds: nil, retriesUnknown: false)
        if let expect = table["expect"] { test.expected = try decision(expect) }
        if let name = table["rule"] { test.rule = try string(name, "rule") }
        if let flag = table["retries-unknown"] {
            test.retriesUnknown = try bool(flag, "retries-unknown")
        }
        if let wait = table["wait"] {
            guard let seconds = wait.double, seconds >= 0 else {
                throw error(wait.position, "'wait' must be a number of seconds, 0 for none")
            }
            test.waitSeconds = seconds
        }
        return test
    }
}
