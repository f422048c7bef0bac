extension InterfaceDefinition {
    /// Nested types taken, so that a text can't exhaust the stack.
    private static let typeDepthMax = 32

    /// Parses a definition and checks it: every type it names is defined, and no name twice.
    package init(parsing text: String) throws(InterfaceError) {
        var scanner = InterfaceScanner(text)
        let documentation = scanner.skipSpace()
        let keyword = try scanner.word("the keyword \"interface\"")
        guard keyword == "interface" else {
            throw scanner.error(atWord: keyword, "a definition begins with \"interface NAME\"")
        }
        scanner.skipSpace()
        let name = try scanner.word("the interface's name")
        guard isInterfaceName(name) else {
            throw scanner.error(atWord: name, "\"\(name)\" is not a reverse-domain name")
        }
        try scanner.requireLineEnd(after: "the interface's name")
        self.init(name: name, documentation: documentation)
        var names: Set<String> = []
        while true {
            let documentation = scanner.skipSpace()
            if scanner.isAtEnd { break }
            try parseMember(from: &scanner, documentation, names: &names)
        }
        try checkReferences(atEndOf: scanner)
    }

    private mutating func parseMember(
        from scanner: inout InterfaceScanner, _ documentation: String, names: inout Set<String>
    ) throws(InterfaceError) {
        let keyword = try scanner.word("\"type\", \"method\" or \"error\"")
        guard keyword == "type" || keyword == "method" || keyword == "error" else {
            throw scanner.error(
                atWord: keyword, "\"\(keyword)\" is neither \"type\" nor \"method\" nor \"error\"")
        }
        scanner.skipSpace()
        let name = try scanner.word("the \(keyword)'s name")
        guard isMemberName(name) else {
            throw scanner.error(
                atWord: name, "\"\(name)\" must be letters and digits, a capital letter first")
        }
        guard names.insert(name).inserted else {
            throw scanner.error(atWord: name, "\"\(name)\" is defined twice")
        }
        scanner.skipSpace()
        switch keyword {
        case "type":
            let type = try parseParenthesized(from: &scanner, depth: 0)
            types.append(TypeDefinition(name: name, documentation: documentation, type: type))
        case "method":
            let input = try parseStructure(from: &scanner, of: name)
            scanner.skipSpace()
            try scanner.require("->", "between the parameters and the reply of \(name)")
            scanner.skipSpace()
            let output = try parseStructure(from: &scanner, of: name)
            methods.append(
                Method(name: name, documentation: documentation, input: input, output: output))
        default:
            let fields = try parseStructure(from: &scanner, of: name)
            errors.append(ErrorDefinition(name: name, documentation: documentation, fields: fields))
        }
        try scanner.requireLineEnd(after: "the definition of \(name)")
    }

    private func parseStructure(
        from scanner: inout InterfaceScanner, of name: String
    ) throws(InterfaceError) -> [Field] {
        let type = try parseParenthesized(from: &scanner, depth: 0)
        guard case .structure(let fields) = type else {
            throw scanner.error("\(name) takes fields with types, not an enumeration")
        }
        return fields
    }

    // MARK: Types

    private func parseType(
        from scanner: inout InterfaceScanner, depth: Int
    ) throws(InterfaceError) -> FieldType {
        guard depth < InterfaceDefinition.typeDepthMax else {
            throw scanner.error("types are nested too deeply")
        }
        if scanner.take("?") {
            if scanner.isNext("?") { throw scanner.error("\"?\" stands twice") }
            return .nullable(try parseType(from: &scanner, depth: depth + 1))
        }
        if scanner.take("[]") {
            return .array(try parseType(from: &scanner, depth: depth + 1))
        }
        if scanner.take("[string]") {
            return .map(try parseType(from: &scanner, depth: depth + 1))
        }
        if scanner.isNext("(") {
            return try parseParenthesized(from: &scanner, depth: depth + 1)
        }
        let word = try scanner.word("a type")
        switch word {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case "any": return .any
        default:
            guard isMemberName(word) else {
                throw scanner.error(atWord: word, "\"\(word)\" is no type")
            }
            return .named(word)
        }
    }

    /// A structure or an enumeration: which one, the first field tells. `()` is a structure.
    private func parseParenthesized(
        from scanner: inout InterfaceScanner, depth: Int
    ) throws(InterfaceError) -> FieldType {
        try scanner.require("(", "before the fields")
        var fields: [Field] = []
        var cases: [String] = []
        var names: Set<String> = []
        var documentation = scanner.skipSpace()
        if scanner.take(")") { return .structure([]) }
        while true {
            let name = try scanner.word("a field's name")
            guard isFieldName(name) else {
                throw scanner.error(
                    atWord: name, "\"\(name)\" must be letters, digits and single underscores")
            }
            guard names.insert(name).inserted else {
                throw scanner.error(atWord: name, "\"\(name)\" stands twice")
            }
            scanner.skipSpace()
            if cases.isEmpty, scanner.take(":") {
                scanner.skipSpace()
                let type = try parseType(from: &scanner, depth: depth)
                fields.append(Field(name: name, documentation: documentation, type: type))
                scanner.skipSpace()
            } else if fields.isEmpty {
                cases.append(name)
            } else {
                throw scanner.error("\":\" and a type are needed after \"\(name)\"")
            }
            if scanner.take(")") { break }
            try scanner.require(",", "or \")\" after \"\(name)\"")
            documentation = scanner.skipSpace()
        }
        return cases.isEmpty ? .structure(fields) : .enumeration(cases)
    }

    // MARK: Checks

    private func checkReferences(atEndOf scanner: InterfaceScanner) throws(InterfaceError) {
        let defined = Set(types.map(\.name))
        var used: [(name: String, user: String)] = []
        for type in types { collectNames(in: type.type, of: type.name, into: &used) }
        for method in methods {
            collectNames(in: .structure(method.input), of: method.name, into: &used)
            collectNames(in: .structure(method.output), of: method.name, into: &used)
        }
        for error in errors {
            collectNames(in: .structure(error.fields), of: error.name, into: &used)
        }
        for use in used where !defined.contains(use.name) {
            throw scanner.error("\(use.user) uses the type \(use.name), which is not defined")
        }
    }

    private func collectNames(
        in type: FieldType, of user: String, into used: inout [(name: String, user: String)]
    ) {
        switch type {
        case .bool, .int, .float, .string, .object, .any, .enumeration: break
        case .named(let name): used.append((name, user))
        case .structure(let fields):
            for field in fields { collectNames(in: field.type, of: user, into: &used) }
        case .array(let element), .map(let element), .nullable(let element):
            collectNames(in: element, of: user, into: &used)
        }
    }
}

/// `[A-Z][A-Za-z0-9]*`
private func isMemberName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first &- 0x41 < 26 else { return false }
    return name.utf8.allSatisfy(isLetterOrDigit)
}

/// `[A-Za-z](_?[A-Za-z0-9])*`
private func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) else { return false }
    var isAfterUnderscore = false
    for byte in name.utf8 {
        if byte == UInt8(ascii: "_") {
            if isAfterUnderscore { return false }
            isAfterUnderscore = true
        } else {
            guard isLetterOrDigit(byte) else { return false }
            isAfterUnderscore = false
        }
    }
    return !isAfterUnderscore
}

/// `[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+`
private func isInterfaceName(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, let first = parts[0].first, isLetter(first) else { return false }
    return parts.allSatisfy { part in
        guard let first = part.first, let last = part.last else { return false }
        return isLetterOrDigit(first) && isLetterOrDigit(last)
            && part.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
