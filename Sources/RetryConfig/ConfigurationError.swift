/// Why the configuration was refused. Whatever was in force before stays.
package struct ConfigurationError: Error, Equatable, Sendable {
    package var file: String
    /// From 1; 0 where the file as a whole is meant, e.g. one that cannot be read.
    package var line: Int
    /// From 1; 0 where the line or file as a whole is meant.
    package var column: Int
    package var reason: String

    package init(file: String, line: Int = 0, column: Int = 0, reason: String) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// As compilers write it, so that editors can jump there: `FILE:LINE:COLUMN: REASON`.
    package var description: String {
        if line == 0 { return "\(file): \(reason)" }
        if column == 0 { return "\(file):\(line): \(reason)" }
        return "\(file):\(line):\(column): \(reason)"
    }
}
