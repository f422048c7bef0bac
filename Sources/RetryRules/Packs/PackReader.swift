import RetryModel
import TOML

/// Reads a rule file into definitions, refusing every name it does not know.
struct PackReader {
    let file: String
    let keepsTests: Bool

    static func read(
        _ bytes: [UInt8], file: String, keepsTests: Bool
    ) throws(RuleError) -> Pack {
        let document: TOMLDocument
        do {
            document = try TOMLDocument.parse(bytes, file: file)
        } catch {
            throw RuleError(
                file: file, line: error.line, column: error.column, reason: error.message)
        }
        return try PackReader(file: file, keepsTests: keepsTests).readPack(document.root)
    }

    private func readPack(_ root: TOMLTable) throws(RuleError) -> Pack {
        try checkKeys(
            root, of: "a rule file",
            allowed: ["pack", "fact", "hint", "message", "rule", "override"])
        var pack = Pack(file: file)
        if let value = root["pack"] { try readHead(value, into: &pack) }
        for value in try tables(root, "fact") { pack.facts.append(try readFact(value)) }
        for value in try tables(root, "hint") { pack.hints.append(try readHint(value)) }
        for value in try tables(root, "message") { pack.messages.append(try readMessage(value)) }
        for value in try tables(root, "rule") {
            pack.rules.append(try readRule(value, defaults: pack.defaults))
        }
        if let value = root["override"] {
            for entry in try table(value, "override").entries {
                pack.overrides.append(
                    OverrideDefinition(
                        name: entry.key, position: entry.keyPosition, file: file,
                        then: entry.value))
            }
        }
        return pack
    }

    private func readHead(_ value: TOMLValue, into pack: inout Pack) throws(RuleError) {
        let head = try table(value, "pack")
        try checkKeys(
            head, of: "[pack]",
            allowed: ["description", "phase", "hint", "applied", "policy", "when", "members"])
        if let value = head["phase"] { pack.defaults.phase = try phase(value) }
        if let value = head["hint"] {
            pack.defaults.hints = try strings(value, "hint")
            pack.defaults.hintPosition = value.position
        }
        if let value = head["applied"] { pack.defaults.applied = try applied(value) }
        if let value = head["policy"] {
            pack.defaults.policy = try string(value, "policy")
            pack.defaults.policyPlace = place(value)
        }
        if let value = head["when"] { pack.guards = try readWhen(value) }
        if let value = head["members"] {
            for text in try strings(value, "members") {
                pack.members.append(try path(text, at: value.position))
            }
        }
    }

    private func readFact(_ value: TOMLValue) throws(RuleError) -> FactDefinition {
        let fact = try table(value, "fact")
        try checkKeys(
            fact, of: "[[fact]]",
            allowed: ["name", "from", "take", "platform", "platform-default", "when"])
        var definition = FactDefinition(
            name: try path(try requiredString(fact, "name", of: value), at: value.position),
            position: value.position, file: file,
            from: try paths(try required(fact, "from", of: value), "from"), take: .whole,
            platform: nil, platformDefault: .linux, when: [])
        if let value = fact["take"] {
            definition.take = try word(value, "take", FactTake.allCases, \.name)
        }
        if let value = fact["platform"] {
            definition.platform = try path(try string(value, "platform"), at: value.position)
        }
        if let value = fact["platform-default"] {
            definition.platformDefault = try word(
                value, "platform-default", Platform.allCases, \.name)
        }
        if let value = fact["when"] { definition.when = try readWhen(value) }
        return definition
    }

    private func readHint(_ value: TOMLValue) throws(RuleError) -> HintDefinition {
        let hint = try table(value, "hint")
        try checkKeys(
            hint, of: "[[hint]]", allowed: ["name", "from", "form", "plus", "wait", "when"])
        var definition = HintDefinition(
            name: try requiredString(hint, "name", of: value), position: value.position,
            file: file, from: [], form: .seconds, plusSeconds: 0, waitSeconds: nil, when: [])
        if let wait = hint["wait"] {
            definition.waitSeconds = try integer(wait, "wait", in: 1...31_536_000)
            guard hint["from"] == nil, hint["form"] == nil else {
                throw error(wait.position, "'wait' stands in place of 'from' and 'form'")
            }
        } else {
            definition.from = try paths(try required(hint, "from", of: value), "from")
            definition.form = try form(try required(hint, "form", of: value))
        }
        if let plus = hint["plus"] {
            definition.plusSeconds = try integer(plus, "plus", in: 1...86_400)
        }
        if let value = hint["when"] { definition.when = try readWhen(value) }
        return definition
    }

    private func readMessage(_ value: TOMLValue) throws(RuleError) -> MessageDefinition {
        var languages = try table(value, "message")
        let decision = try self.decision(try required(languages, "decision", of: value))
        languages.entries.removeAll { entry in entry.key == "decision" }
        return MessageDefinition(decision: decision, texts: try readTexts(languages))
    }
}
