extension RuleSet {
    /// What a rule asks for, as sentences: all of one list must hold, and any list will do. The
    /// condition of its pack comes as a list of its own behind them, if there is one.
    package func conditions(of rule: Int) -> (any: [[String]], pack: [[String]]) {
        var alternatives: [[String]] = []
        var guardIndex: Int16 = -1
        for alternative in program.alternatives[..<program.ruleAlternativeCount]
        where Int(alternative.rule) == rule {
            alternatives.append(program.sentences(of: alternative))
            guardIndex = alternative.guardIndex
        }
        guard guardIndex >= 0 else { return (alternatives, []) }
        let pack = program.guards[Int(guardIndex)].range.map { index in
            program.sentences(of: program.alternatives[index])
        }
        return (alternatives, pack)
    }
}

extension Program {
    func sentences(of alternative: Alternative) -> [String] {
        alternative.requirements.range.map { index in sentence(requirements[index]) }
    }

    /// `http.status is 409`.
    private func sentence(_ requirement: Requirement) -> String {
        let path = slotNames[Int(requirement.slot)]
        let values = values(of: requirement)
        switch (requirement.test, requirement.isNegated) {
        case (.exists, false): return "\(path) is there"
        case (.exists, true): return "\(path) is absent"
        case (.any, false): return "\(path) is \(values)"
        case (.any, true): return "\(path) is not \(values)"
        case (.contains, false): return "\(path) contains \(values)"
        case (.contains, true): return "\(path) does not contain \(values)"
        case (.word, false): return "\(path) is the word \(values)"
        case (.word, true): return "\(path) is not the word \(values)"
        case (.form, false): return "\(path) can be read as \(requirement.form.name)"
        case (.form, true): return "\(path) can't be read as \(requirement.form.name)"
        }
    }

    /// The values a requirement names: `404 or 410`.
    func values(of requirement: Requirement) -> String {
        let shownMax = 8
        var parts: [String] = []
        for index in requirement.literals.range.prefix(shownMax) {
            parts.append(text(of: literals[index]))
        }
        let isCut = Int(requirement.literals.count) > shownMax
        return parts.joined(separator: " or ") + (isCut ? " or others" : "")
    }

    private func text(of literal: Literal) -> String {
        switch literal.kind {
        case .integers:
            return literal.low == literal.high ? "\(literal.low)" : "\(literal.low)-\(literal.high)"
        case .bool:
            return literal.low == 1 ? "true" : "false"
        case .text, .glob:
            let first = Int(literal.low)
            let bytes = texts[first..<first + Int(literal.high)]
            return "'\(String(decoding: bytes, as: UTF8.self))'"
        }
    }
}
