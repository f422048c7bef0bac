/// Columns of text, as wide as their widest cell.
package struct Table {
    /// The side of its column a cell stands on.
    package enum Alignment: Sendable {
        case left
        case right
    }

    /// A heading and what stands below it.
    package struct Column: Sendable {
        package var heading: String
        package var alignment: Alignment

        package init(_ heading: String, _ alignment: Alignment = .left) {
            self.heading = heading
            self.alignment = alignment
        }
    }

    /// A text of one line, made harmless.
    package struct Cell: Sendable, ExpressibleByStringLiteral {
        /// Escaped.
        package var text: String
        package var colour: Console.Colour?

        package init(_ text: String, _ colour: Console.Colour? = nil) {
            self.text = TerminalText.escape(text)
            self.colour = colour
        }

        package init(stringLiteral text: String) {
            self.init(text)
        }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    package var isEmpty: Bool { rows.isEmpty }

    package mutating func append(_ row: [Cell]) {
        precondition(row.count == columns.count, "a row has a cell for each column")
        rows.append(row)
    }

    /// Writes the table. The last column is cut where a line would not fit the terminal.
    package func write(to console: Console) throws(CommandFailure) {
        if rows.isEmpty { return }
        let widths = columns.indices.map { column in
            max(
                console.hasLegend ? columns[column].heading.count : 0,
                rows.map { $0[column].text.count }.max() ?? 0)
        }
        if console.hasLegend {
            let headings = columns.map { Cell($0.heading, .bold) }
            try console.writeLine(line(headings, widths, console))
        }
        for row in rows { try console.writeLine(line(row, widths, console)) }
    }

    private func line(_ row: [Cell], _ widths: [Int], _ console: Console) -> String {
        var line = ""
        var used = 0
        for (index, cell) in row.enumerated() {
            let isLast = index == row.count - 1
            var text = cell.text
            if isLast, let columns = console.columns, used + text.count > columns {
                // At least one character and the sign that there is more.
                text = text.prefix(max(1, columns - used - 1)) + "…"
            }
            let padding = String(repeating: " ", count: max(0, widths[index] - text.count))
            let shown = console.coloured(text, cell.colour)
            switch columns[index].alignment {
            case .right: line += padding + shown
            case .left: line += isLast ? shown : shown + padding
            }
            if !isLast { line += "  " }
            used += widths[index] + 2
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
