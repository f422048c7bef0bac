import RetryModel
import TOML

/// Puts packs together into one program.
struct RuleCompiler {
    private let packs: [Pack]
    private(set) var rules: [Rule] = []
    private(set) var program = Program()

    private var definitions: [(rule: RuleDefinition, pack: Int)] = []
    private var paths = PathTrieBuilder()
    private var known = KnownPaths()
    private var hintIndices: [String: UInt16] = [:]
    private var textOffsets: [String: UInt32] = [:]

    /// Far more than the shipped packs need; numbers of slots are 16 bits.
    private static let slotsMax = 4_096

    init(_ packs: [Pack]) {
        self.packs = packs
    }

    mutating func compile() throws(RuleError) {
        for pack in packs {
            for path in pack.members { known.add(path) }
            for fact in pack.facts { known.add(fact.name) }
        }
        orderRules()
        try applyOverrides()
        fixSlots()
        try compileRules()
        try compileGuards()
        try compileFacts()
        try compileHints()
        program.slotNames = paths.slotNames
        program.trie = paths.build()
        findMasks()
        program.searches = Stage.allCases.map(searchTable)
    }

    // MARK: Rules

    /// Phase, then directory and file name (the order of the packs), then position.
    private mutating func orderRules() {
        for (index, pack) in packs.enumerated() {
            for rule in pack.rules { definitions.append((rule, index)) }
        }
        // Sorting must keep the order of equals, which `sort` does not promise.
        definitions = RulePhase.allCases.flatMap { phase in
            definitions.filter { definition in definition.rule.rule.phase == phase }
        }
    }

    /// The first override of a name counts: packs come in the order of their directories.
    private mutating func applyOverrides() throws(RuleError) {
        var done: Set<String> = []
        for override in packs.flatMap(\.overrides) where done.insert(override.name).inserted {
            let indices = definitions.indices.filter { index in
                definitions[index].rule.rule.name == override.name
            }
            let reader = PackReader(file: override.file, keepsTests: false)
            guard !indices.isEmpty else {
                throw reader.error(
                    override.position, "there is no rule '\(override.name)' to override",
                    nearest: NearestName.find(
                        override.name, in: definitions.map { $0.rule.rule.name }))
            }
            for index in indices {
                let pack = packs[definitions[index].pack]
                var rule = definitions[index].rule.rule
                rule.then = try reader.readThen(override.then, defaults: pack.defaults)
                if override.then.table?["applied"] == nil {
                    rule.then.applied = definitions[index].rule.rule.then.applied
                }
                rule.file = override.file
                rule.line = override.position.line
                // What the rule's own samples and texts say no longer holds.
                rule.tests = []
                rule.texts = []
                definitions[index].rule.rule = rule
            }
        }
    }

    private mutating func compileRules() throws(RuleError) {
        try checkNames()
        compileHintNames()
        for (number, definition) in definitions.enumerated() {
            for when in definition.rule.when {
                try append(
                    when, rule: UInt16(number), guardIndex: guardIndex(definition.pack),
                    file: packs[definition.pack].file)
            }
            var list = Span32(first: UInt32(program.hintLists.count), count: 0)
            for name in definition.rule.rule.then.hints {
                guard let hint = hintIndices[name] else {
                    throw RuleError(
                        file: definition.rule.rule.file, line: definition.rule.hintPosition.line,
                        column: definition.rule.hintPosition.column,
                        reason: "there is no hint '\(name)'",
                        nearest: NearestName.find(name, in: hintIndices.keys.sorted()))
                }
                program.hintLists.append(hint)
                list.count += 1
            }
            program.ruleHints.append(list)
            rules.append(definition.rule.rule)
        }
        program.ruleAlternativeCount = program.alternatives.count
    }

    /// Equal names in one file are a slip; in two files the order decides.
    private func checkNames() throws(RuleError) {
        guard definitions.count <= RuleSet.rulesMax else {
            let last = definitions[RuleSet.rulesMax].rule
            throw RuleError(
                file: last.rule.file, line: last.position.line, column: last.position.column,
                reason: "more than \(RuleSet.rulesMax) rules")
        }
        for pack in packs {
            var names: [String: Int] = [:]
            for definition in pack.rules {
                let rule = definition.rule
                if let line = names.updateValue(rule.line, forKey: rule.name) {
                    throw RuleError(
                        file: pack.file, line: rule.line, column: definition.position.column,
                        reason: "a rule '\(rule.name)' stands in line \(line) already")
                }
            }
        }
    }

    // MARK: Guards, facts, hints

    private func guardIndex(_ pack: Int) -> Int16 {
        packs[pack].guards.isEmpty ? -1 : Int16(pack)
    }

    /// One for each pack, in their order; those without a condition are never asked.
    private mutating func compileGuards() throws(RuleError) {
        for pack in packs { program.guards.append(try append(pack.guards, file: pack.file)) }
    }

    private mutating func compileFacts() throws(RuleError) {
        for fact in packs.flatMap(\.facts) {
            let sources = try slots(fact.from, at: fact.position, file: fact.file)
            let platform = try fact.platform.map { path throws(RuleError) in
                Int16(try slot(path, at: fact.position, file: fact.file))
            }
            program.facts.append(
                FactStep(
                    target: try slot(fact.name, at: fact.position, file: fact.file),
                    sources: sources, take: fact.take, platform: platform ?? -1,
                    platformDefault: fact.platformDefault,
                    when: try append(fact.when, file: fact.file), followsCause: false))
        }
    }

    private mutating func compileHintNames() {
        for hint in packs.flatMap(\.hints) where hintIndices[hint.name] == nil {
            hintIndices[hint.name] = UInt16(hintIndices.count)
        }
    }

    private mutating func compileHints() throws(RuleError) {
        let hints = packs.flatMap(\.hints)
        for (name, index) in hintIndices.sorted(by: { $0.value < $1.value }) {
            var group = Span32(first: UInt32(program.hints.count), count: 0)
            for hint in hints where hint.name == name {
                program.hints.append(
                    HintStep(
                        nameIndex: index,
                        sources: try slots(hint.from, at: hint.position, file: hint.file),
                        form: hint.form, plusSeconds: hint.plusSeconds,
                        waitSeconds: hint.waitSeconds ?? -1,
                        when: try append(hint.when, file: hint.file)))
                group.count += 1
            }
            program.hintNames.append(name)
            program.hintGroups.append(group)
        }
    }

    // MARK: Conditions

    private mutating func append(
        _ alternatives: [WhenDefinition], file: String
    ) throws(RuleError) -> Span32 {
        let first = UInt32(program.alternatives.count)
        for when in alternatives { try append(when, rule: 0, guardIndex: -1, file: file) }
        return Span32(first: first, count: UInt32(alternatives.count))
    }

    private mutating func append(
        _ when: WhenDefinition, rule: UInt16, guardIndex: Int16, file: String
    ) throws(RuleError) {
        let first = program.requirements.count
        for definition in when.conditions {
            let slot = try slot(definition.path, at: definition.position, file: file)
            program.requirements.append(compiled(definition, slot: slot))
        }
        // Searching a text costs more than all else, so it comes last.
        let requirements = program.requirements[first...]
        program.requirements.replaceSubrange(
            first...,
            with: requirements.filter { requirement in requirement.test != .contains }
                + requirements.filter { requirement in requirement.test == .contains })
        let span = Span32(first: UInt32(first), count: UInt32(requirements.count))
        program.alternatives.append(
            Alternative(requirements: span, guardIndex: guardIndex, rule: rule))
    }

    private mutating func compiled(_ definition: ConditionDefinition, slot: UInt16) -> Requirement {
        var requirement = Requirement(
            slot: slot, test: .exists, isNegated: definition.isNegated, form: .seconds,
            literals: Span32(first: UInt32(program.literals.count), count: 0))
        switch definition.test {
        case .exists:
            break
        case .any(let literals):
            requirement.test = .any
            for literal in literals { append(literal) }
        case .contains(let texts):
            requirement.test = .contains
            for text in texts { append(.text(text)) }
        case .word(let words):
            requirement.test = .word
            for word in words { append(.text(word)) }
        case .form(let form):
            requirement.test = .form
            requirement.form = form
        }
        requirement.literals.count = UInt32(program.literals.count) - requirement.literals.first
        return requirement
    }

    private mutating func append(_ literal: LiteralDefinition) {
        switch literal {
        case .integers(let range):
            program.literals.append(
                Literal(kind: .integers, low: range.lowerBound, high: range.upperBound))
        case .bool(let flag):
            program.literals.append(Literal(kind: .bool, low: flag ? 1 : 0, high: 0))
        case .text(let text):
            program.literals.append(
                Literal(kind: .text, low: offset(of: text), high: Int64(text.utf8.count)))
        case .glob(let pattern):
            program.literals.append(
                Literal(kind: .glob, low: offset(of: pattern), high: Int64(pattern.utf8.count)))
        }
    }

    private mutating func offset(of text: String) -> Int64 {
        if let offset = textOffsets[text] { return Int64(offset) }
        let offset = UInt32(program.texts.count)
        program.texts += text.utf8
        textOffsets[text] = offset
        return Int64(offset)
    }

    // MARK: Slots

    private mutating func slots(
        _ paths: [RulePath], at position: TOMLPosition, file: String
    ) throws(RuleError) -> Span32 {
        let first = UInt32(program.factSources.count)
        for path in paths {
            program.factSources.append(try slot(path, at: position, file: file))
        }
        return Span32(first: first, count: UInt32(paths.count))
    }

    private mutating func slot(
        _ path: RulePath, at position: TOMLPosition, file: String
    ) throws(RuleError) -> UInt16 {
        if let nearest = known.nearest(to: path) {
            throw RuleError(
                file: file, line: position.line, column: position.column,
                reason: "unknown path '\(path.text)'", nearest: nearest)
        }
        if PathTrieBuilder.leadsThroughCause(path) {
            throw RuleError(
                file: file, line: position.line, column: position.column,
                reason: "'\(path.text)' names a cause: every cause is asked as 'nserror' itself")
        }
        guard paths.slotNames.count < Self.slotsMax else {
            throw RuleError(
                file: file, line: position.line, column: position.column,
                reason: "more than \(Self.slotsMax) different paths")
        }
        return paths.slot(for: path)
    }

    private mutating func fixSlots() {
        func slot(_ segments: String...) -> UInt16 {
            paths.slot(for: RulePath(segments: segments))
        }
        program.slots.receivedAt = slot("received_at")
        program.slots.request = slot("request")
        program.slots.idempotent = slot("request", "idempotent")
        program.slots.idempotencyKey = slot("request", "idempotency_key")
        program.slots.method = slot("request", "method")
        program.slots.bytesSent = slot("request", "bytes_sent")
        program.slots.recoveryDisabled = slot("recovery_disabled")
        program.slots.causePlatform = slot("nserror", "platform")
    }

    /// Finds what changes with the cause looked at: the members of `nserror` and every fact read
    /// from them, also in two steps.
    private mutating func findMasks() {
        var ofCause = paths.slots(under: ["nserror"])
        ofCause.remove(program.slots.causePlatform)
        program.slots.inCause = mask(ofCause)
        for index in program.facts.indices {
            let step = program.facts[index]
            let sources = step.sources.range.map { program.factSources[$0] }
            let conditions = step.when.range.flatMap { alternative in
                program.alternatives[alternative].requirements.range.map {
                    program.requirements[$0].slot
                }
            }
            guard !ofCause.isDisjoint(with: sources + conditions) else { continue }
            program.facts[index].followsCause = true
            ofCause.insert(step.target)
        }
        // A fact with several steps is read anew as a whole.
        for index in program.facts.indices where ofCause.contains(program.facts[index].target) {
            program.facts[index].followsCause = true
        }
        var beside: Set<UInt16> = []
        for name in ["errno", "gai", "dns", "tls", "dbus"] {
            beside.formUnion(paths.slots(under: [name]))
        }
        program.slots.ofCause = mask(ofCause)
        program.slots.besideCause = mask(beside)
    }

    private func mask(_ slots: Set<UInt16>) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: program.maskWords)
        for slot in slots { words[Int(slot) / 64] |= 1 << UInt64(slot % 64) }
        return words
    }

    private func searchTable(_ stage: Stage) -> SearchTable {
        var builder = SearchTableBuilder(program)
        for number in 0..<program.ruleAlternativeCount {
            let rule = Int(program.alternatives[number].rule)
            if Stage(rules[rule].phase) == stage { builder.add(UInt32(number)) }
        }
        return builder.build()
    }
}
