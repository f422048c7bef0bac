/// A place in a file; both count from 1.
package struct TOMLPosition: Hashable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A value of a TOML file and where it stands.
package struct TOMLValue: Hashable, Sendable {
    package var content: Content
    package var position: TOMLPosition

    /// The kinds of values TOML has.
    package enum Content: Hashable, Sendable {
        case table(TOMLTable)
        case array([TOMLValue])
        case string(String)
        case integer(Int64)
        case double(Double)
        case bool(Bool)
        /// A date, a time or both, as RFC 3339 writes it.
        case date(String)
    }

    package init(_ content: Content, at position: TOMLPosition) {
        self.content = content
        self.position = position
    }

    package var table: TOMLTable? {
        if case .table(let table) = content { table } else { nil }
    }

    package var array: [TOMLValue]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let number) = content { number } else { nil }
    }

    /// Any number.
    package var double: Double? {
        switch content {
        case .double(let number): number
        case .integer(let number): Double(number)
        case .table, .array, .string, .bool, .date: nil
        }
    }

    package var bool: Bool? {
        if case .bool(let value) = content { value } else { nil }
    }

    /// What the value is, for messages: "a string", "an integer" and so on.
    package var kindName: String {
        switch content {
        case .table: "a table"
        case .array: "an array"
        case .string: "a string"
        case .integer: "an integer"
        case .double: "a fraction"
        case .bool: "a boolean"
        case .date: "a date"
        }
    }
}

/// The members of a table in the order of the file.
package struct TOMLTable: Hashable, Sendable {
    package var entries: [Entry]

    /// A member of a table and where its key stands.
    package struct Entry: Hashable, Sendable {
        package var key: String
        package var keyPosition: TOMLPosition
        package var value: TOMLValue

        package init(key: String, keyPosition: TOMLPosition, value: TOMLValue) {
            self.key = key
            self.keyPosition = keyPosition
            self.value = value
        }
    }

    package init(entries: [Entry] = []) {
        self.entries = entries
    }

    package subscript(key: String) -> TOMLValue? {
        entry(key)?.value
    }

    package func entry(_ key: String) -> Entry? {
        entries.first { entry in entry.key == key }
    }
}
