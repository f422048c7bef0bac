import TOML

// Conditions. Under `when` the names of a table are parts of a path, except for the operators,
// which no member of a failure is called like: `when.http.headers.retry-after.exists = true`.
extension PackReader {
    private static var operators: [String] {
        ["is", "not", "exists", "contains", "word", "exactly", "form"]
    }

    /// A table of conditions that must all hold, or a list of tables any of which may hold.
    func readWhen(_ value: TOMLValue) throws(RuleError) -> [WhenDefinition] {
        guard let elements = value.array else { return [try readConditions(value)] }
        guard !elements.isEmpty else { throw error(value.position, "'when' is empty") }
        var alternatives: [WhenDefinition] = []
        for element in elements { alternatives.append(try readConditions(element)) }
        return alternatives
    }

    private func readConditions(_ value: TOMLValue) throws(RuleError) -> WhenDefinition {
        var when = WhenDefinition()
        let table = try table(value, "when")
        guard !table.entries.isEmpty else { throw error(value.position, "'when' is empty") }
        try flatten(table, under: RulePath(segments: []), into: &when)
        return when
    }

    private func flatten(
        _ table: TOMLTable, under parent: RulePath, into when: inout WhenDefinition
    ) throws(RuleError) {
        for entry in table.entries {
            let path = parent.appending(try path(entry.key, at: entry.keyPosition))
            guard let inner = entry.value.table else {
                when.conditions.append(
                    ConditionDefinition(
                        path: path, position: entry.keyPosition,
                        test: .any(try literals(entry.value))))
                continue
            }
            guard !inner.entries.isEmpty else {
                throw error(entry.keyPosition, "'\(path.text)' is given no condition")
            }
            var members = TOMLTable()
            for entry in inner.entries {
                if Self.operators.contains(entry.key) {
                    when.conditions.append(try readOperator(entry, on: path))
                } else {
                    try checkOperator(entry, on: path)
                    members.entries.append(entry)
                }
            }
            try flatten(members, under: path, into: &when)
        }
    }

    /// No member of a failure is called like an operator with one letter wrong.
    private func checkOperator(
        _ entry: TOMLTable.Entry, on path: RulePath
    ) throws(RuleError) {
        guard entry.value.table == nil, entry.key.utf8.count > 3 else { return }
        for name in Self.operators where NearestName.editDistance(name, entry.key) == 1 {
            throw error(
                entry.keyPosition, "unknown condition '\(entry.key)' on '\(path.text)'",
                nearest: name)
        }
    }

    private func readOperator(
        _ entry: TOMLTable.Entry, on path: RulePath
    ) throws(RuleError) -> ConditionDefinition {
        var condition = ConditionDefinition(
            path: path, position: entry.keyPosition, test: .exists)
        switch entry.key {
        case "exists":
            condition.isNegated = !(try bool(entry.value, "exists"))
        case "not":
            condition.isNegated = true
            condition.test = try negated(entry.value, of: path)
        case _:
            condition.test = try test(entry.key, entry.value)
        }
        return condition
    }

    /// What follows `not`: values, or one operator.
    private func negated(
        _ value: TOMLValue, of path: RulePath
    ) throws(RuleError) -> TestDefinition {
        guard let table = value.table else { return .any(try literals(value)) }
        try checkKeys(
            table, of: "the condition on '\(path.text)'",
            allowed: ["is", "contains", "word", "exactly", "form"])
        guard let entry = table.entries.first, table.entries.count == 1 else {
            throw error(value.position, "'not' takes one operator")
        }
        return try test(entry.key, entry.value)
    }

    private func test(_ name: String, _ value: TOMLValue) throws(RuleError) -> TestDefinition {
        switch name {
        case "is": return .any(try literals(value))
        case "contains": return .contains(try strings(value, name))
        case "word": return .word(try words(value))
        case "exactly": return .any(try strings(value, name).map(LiteralDefinition.text))
        case "form": return .form(try form(value))
        case _: fatalError("operator '\(name)' passed the check of names")
        }
    }

    private func words(_ value: TOMLValue) throws(RuleError) -> [String] {
        var words: [String] = []
        for text in try strings(value, "word") {
            let word = String(decoding: Words.folded(Array(text.utf8)), as: UTF8.self)
            guard !word.isEmpty else {
                throw error(value.position, "'\(text)' has neither letters nor digits")
            }
            words.append(word)
        }
        return words
    }

    // MARK: Values

    private func literals(_ value: TOMLValue) throws(RuleError) -> [LiteralDefinition] {
        guard let elements = value.array else { return [try literal(value)] }
        guard !elements.isEmpty else { throw error(value.position, "the list is empty") }
        var literals: [LiteralDefinition] = []
        for element in elements { literals.append(try literal(element)) }
        return literals
    }

    private func literal(_ value: TOMLValue) throws(RuleError) -> LiteralDefinition {
        switch value.content {
        case .integer(let number): return .integers(number...number)
        case .bool(let flag): return .bool(flag)
        case .string(let text): return try literal(text, at: value.position)
        case .double, .date, .array, .table:
            throw error(value.position, "a condition can't be \(value.kindName)")
        }
    }

    /// A text: a range where it has the form of one, a pattern where it has `*` or `?`.
    private func literal(
        _ text: String, at position: TOMLPosition
    ) throws(RuleError) -> LiteralDefinition {
        if let bounds = rangeBounds(text) {
            guard bounds.low <= bounds.high else {
                throw error(position, "the range '\(text)' is empty: its ends are swapped")
            }
            return .integers(bounds.low...bounds.high)
        }
        let isPattern = text.utf8.contains { byte in byte == 0x2A || byte == 0x3F }
        return isPattern ? .glob(text) : .text(text)
    }

    /// `500-599`, also with negative ends: `-3005--3000`.
    private func rangeBounds(_ text: String) -> (low: Int64, high: Int64)? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 3 else { return nil }
        guard let hyphen = bytes[1...].firstIndex(of: 0x2D) else { return nil }
        let low = String(decoding: bytes[..<hyphen], as: UTF8.self)
        let high = String(decoding: bytes[(hyphen + 1)...], as: UTF8.self)
        guard !low.hasPrefix("+"), !high.hasPrefix("+") else { return nil }
        guard let low = Int64(low), let high = Int64(high) else { return nil }
        return (low, high)
    }
}
