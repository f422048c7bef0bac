/// Where something stands in a rule file; lines and columns count from 1.
package struct RulePlace: Hashable, Sendable {
    package var file: String
    package var line: Int
    package var column: Int

    package init(file: String, line: Int, column: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
    }
}

/// Why a rule file is refused: the thing, the place and, for a misspelt name, what was meant.
package struct RuleError: Error, Hashable, Sendable, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var column: Int
    package var reason: String
    /// The valid name nearest to the one written.
    package var nearest: String?

    package init(file: String, line: Int, column: Int, reason: String, nearest: String? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
        self.nearest = nearest
    }

    package var description: String {
        line > 0 ? "\(file):\(line):\(column): \(sentence)" : "\(file): \(sentence)"
    }

    /// What is wrong, with the name that was meant.
    package var sentence: String {
        reason + (nearest.map { name in ", did you mean '\(name)'?" } ?? "")
    }
}
