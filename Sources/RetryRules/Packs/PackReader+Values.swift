import TOML

// Single values, each refused by name when it is not what it must be.
extension PackReader {
    func error(
        _ position: TOMLPosition, _ reason: String, nearest: String? = nil
    ) -> RuleError {
        RuleError(
            file: file, line: position.line, column: position.column, reason: reason,
            nearest: nearest)
    }

    func place(_ value: TOMLValue) -> RulePlace {
        RulePlace(file: file, line: value.position.line, column: value.position.column)
    }

    func checkKeys(
        _ table: TOMLTable, of owner: String, allowed: [String]
    ) throws(RuleError) {
        for entry in table.entries where !allowed.contains(entry.key) {
            throw error(
                entry.keyPosition, "unknown name '\(entry.key)' in \(owner)",
                nearest: NearestName.find(entry.key, in: allowed))
        }
    }

    func required(
        _ table: TOMLTable, _ key: String, of owner: TOMLValue
    ) throws(RuleError) -> TOMLValue {
        guard let value = table[key] else { throw error(owner.position, "'\(key)' is missing") }
        return value
    }

    func requiredString(
        _ table: TOMLTable, _ key: String, of owner: TOMLValue
    ) throws(RuleError) -> String {
        try string(try required(table, key, of: owner), key)
    }

    func table(_ value: TOMLValue, _ key: String) throws(RuleError) -> TOMLTable {
        guard let table = value.table else {
            throw error(value.position, "'\(key)' must be a table, not \(value.kindName)")
        }
        return table
    }

    /// The elements of an array of tables; none where the key is absent.
    func tables(_ owner: TOMLTable, _ key: String) throws(RuleError) -> [TOMLValue] {
        guard let value = owner[key] else { return [] }
        guard let elements = value.array else {
            throw error(value.position, "'\(key)' must be written [[\(key)]]")
        }
        for element in elements { _ = try table(element, key) }
        return elements
    }

    func string(_ value: TOMLValue, _ key: String) throws(RuleError) -> String {
        guard let text = value.string else {
            throw error(value.position, "'\(key)' must be a string, not \(value.kindName)")
        }
        guard !text.isEmpty else { throw error(value.position, "'\(key)' is empty") }
        return text
    }

    /// A string or a list of strings.
    func strings(_ value: TOMLValue, _ key: String) throws(RuleError) -> [String] {
        guard let elements = value.array else { return [try string(value, key)] }
        var texts: [String] = []
        for element in elements { texts.append(try string(element, key)) }
        return texts
    }

    func integer(
        _ value: TOMLValue, _ key: String, in range: ClosedRange<Int64>
    ) throws(RuleError) -> Int64 {
        guard let number = value.integer, range.contains(number) else {
            throw error(
                value.position,
                "'\(key)' must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool(_ value: TOMLValue, _ key: String) throws(RuleError) -> Bool {
        guard let flag = value.bool else {
            throw error(value.position, "'\(key)' must be true or false, not \(value.kindName)")
        }
        return flag
    }

    func path(_ text: String, at position: TOMLPosition) throws(RuleError) -> RulePath {
        guard let path = RulePath(text) else {
            throw error(position, "'\(text)' is no dotted path")
        }
        return path
    }

    func paths(_ value: TOMLValue, _ key: String) throws(RuleError) -> [RulePath] {
        var paths: [RulePath] = []
        for text in try strings(value, key) { paths.append(try path(text, at: value.position)) }
        return paths
    }

    /// One word of a closed list.
    func word<Word>(
        _ value: TOMLValue, _ key: String, _ words: [Word], _ name: KeyPath<Word, String>
    ) throws(RuleError) -> Word {
        let text = try string(value, key)
        for word in words where word[keyPath: name] == text { return word }
        let names = words.map { word in word[keyPath: name] }
        throw error(
            value.position, "'\(key)' can't be '\(text)' (\(names.joined(separator: ", ")))",
            nearest: NearestName.find(text, in: names))
    }

    func phase(_ value: TOMLValue) throws(RuleError) -> RulePhase {
        try word(value, "phase", RulePhase.allCases, \.name)
    }

    func form(_ value: TOMLValue) throws(RuleError) -> WaitForm {
        try word(value, "form", WaitForm.allCases, \.name)
    }

    func applied(_ value: TOMLValue) throws(RuleError) -> RuleConsequence.Applied {
        try word(value, "applied", RuleConsequence.Applied.allCases, \.name)
    }

    func decision(_ value: TOMLValue) throws(RuleError) -> RuleDecision {
        let phrase = try string(value, "decision")
        guard let decision = RuleDecision(phrase: phrase) else {
            throw error(
                value.position, "'\(phrase)' is no decision",
                nearest: NearestName.find(phrase, in: RuleDecision.phrases))
        }
        return decision
    }
}
