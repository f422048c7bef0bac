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
        let suffix = nearest.map { name in ", did you mean '\(name)'?" } ?? ""
        let place = line > 0 ? "\(file):\(line):\(column)" : file
        return "\(place): \(reason)\(suffix)"
    }
}
