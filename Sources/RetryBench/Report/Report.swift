/// The table: sections with up to three figures for each daemon, a ratio and a target.
struct Report {
    struct Row {
        var name: String
        var retryd: [String]
        var beanstalkd: [String] = []
        /// retryd's figure by beanstalkd's.
        var ratio: Double?
        var target: Target?
    }

    /// What must be reached.
    struct Target {
        var text: String
        var isReached: Bool

        static func ratio(_ ratio: Double?, atLeast least: Double) -> Target? {
            ratio.map { Target(text: "≥ \(Figure.fixed(least, 2))", isReached: $0 >= least) }
        }

        static func figure(_ value: Double, atMost most: Double, _ text: String) -> Target {
            Target(text: "≤ \(text)", isReached: value <= most)
        }
    }

    private struct Section {
        var title: String
        var columns: [String]
        var rows: [Row] = []
    }

    /// About machine and method, above the table.
    var head: [String] = []
    private var sections: [Section] = []

    /// - Parameter columns: What the figures of the following rows are.
    mutating func begin(_ title: String, _ columns: [String]) {
        sections.append(Section(title: title, columns: columns))
    }

    mutating func add(_ row: Row) {
        precondition(!sections.isEmpty, "a row belongs to a section")
        sections[sections.count - 1].rows.append(row)
    }

    var missedCount: Int {
        sections.flatMap(\.rows).count { $0.target?.isReached == false }
    }

    // MARK: Text

    private static let nameWidth = 44
    private static let figureWidth = 11
    private static let figures = 3

    var text: String {
        var lines = head
        lines.append("")
        lines.append(Self.line("", ["retryd"], ["beanstalkd"], "ratio", "target"))
        for section in sections {
            lines.append("")
            lines.append(Self.line(section.title, section.columns, section.columns, "", ""))
            for row in section.rows {
                let ratio = row.ratio.map { Figure.fixed($0, 2) } ?? ""
                let verdict = row.target.map { $0.isReached ? "reached" : "missed" } ?? ""
                let target = row.target.map { "\($0.text)  \(verdict)" } ?? ""
                lines.append(
                    Self.line("  " + row.name, row.retryd, row.beanstalkd, ratio, target))
            }
        }
        return lines.map { $0.trimmedAtEnd }.joined(separator: "\n") + "\n"
    }

    private static func line(
        _ name: String, _ left: [String], _ right: [String], _ ratio: String, _ target: String
    ) -> String {
        var line = name.padded(nameWidth)
        for figures in [left, right] {
            for index in 0..<Self.figures {
                let figure = index < figures.count ? figures[index] : ""
                line += figure.paddedBefore(figureWidth)
            }
            line += "  "
        }
        return line + ratio.paddedBefore(7) + "   " + target
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    fileprivate func paddedBefore(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    fileprivate var trimmedAtEnd: Substring {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return text
    }
}
