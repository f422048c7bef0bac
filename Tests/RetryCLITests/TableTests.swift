import RetryCLI
import Testing

@Suite struct TableTests {
    private func written(
        _ rows: [[Table.Cell]], columns: Int? = nil, legend: Bool = true, colour: Bool = false
    ) throws -> String {
        var table = Table([.init("ID", .right), .init("NAME"), .init("NOTE")])
        for row in rows { table.append(row) }
        let console = Console(capturingWithColumns: columns, usesColour: colour)
        console.hasLegend = legend
        try table.write(to: console)
        try console.flush()
        return String(decoding: console.captured, as: UTF8.self)
    }

    @Test func alignsColumns() throws {
        #expect(
            try written([["7", "a", "x"], ["1234", "longer", ""]])
                == "  ID  NAME    NOTE\n   7  a       x\n1234  longer\n")
    }

    @Test func withoutLegendThereAreNoHeadings() throws {
        #expect(try written([["7", "a", "x"]], legend: false) == "7  a  x\n")
        #expect(try written([]) == "")
    }

    @Test func cutsTheLastColumnToTheTerminal() throws {
        #expect(
            try written([["7", "abc", "0123456789"]], columns: 16, legend: false)
                == "7  abc  0123456…\n")
    }

    @Test func escapesAndColoursCells() throws {
        #expect(
            try written([["1", .init("a\u{1B}", .red), "x"]], legend: false, colour: true)
                == "1  \u{1B}[31ma\\u{1b}\u{1B}[0m  x\n")
    }
}
