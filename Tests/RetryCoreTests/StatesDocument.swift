import SystemKit
import Testing

/// docs/STATES.md, as far as tests read it.
struct StatesDocument {
    struct Table {
        var head: [String]
        var rows: [[String]]
    }

    private let lines: [String]

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let bytes = try Files.readAll(root + "/docs/STATES.md", bytesMax: 1 << 20)
        lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    /// The first table under a heading.
    func table(under heading: String) throws -> Table {
        let start = try #require(lines.firstIndex(of: "## " + heading), "no heading \(heading)")
        let first = try #require(
            lines[start...].firstIndex { $0.hasPrefix("|") }, "no table under \(heading)")
        let rows = lines[first...].prefix { $0.hasPrefix("|") }.map { Self.cells($0) }
        try #require(rows.count > 2 && rows[1].allSatisfy { $0 == "---" })
        return Table(head: rows[0], rows: Array(rows[2...]))
    }

    /// The names after "Causes of `STATE`:".
    func causes(of state: String) throws -> Set<String> {
        let first = try #require(lines.firstIndex { $0.hasPrefix("Causes of `\(state)`:") })
        let text = lines[first...].prefix { !$0.isEmpty }.joined(separator: " ")
        let names = try #require(text.split(separator: ":").last)
        return Set(
            names.split { " ,".contains($0) }.map { $0.hasSuffix(".") ? $0.dropLast() : $0 }
                .map { String($0) })
    }

    func mentions(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

    private static func cells(_ line: String) -> [String] {
        line.split(separator: "|").map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
