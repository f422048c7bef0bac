import Testing

/// How files look.
@Suite
struct LayoutTests {
    private static let columnsMax = 100
    private static let functionLinesMax = 70
    private static let fileLinesMax = 500

    /// Tables of Markdown and samples of data have the width they have; so do rules, since an
    /// inline table of TOML stands on one line.
    private static func isWide(_ path: String) -> Bool {
        [".md", ".json", ".jsonl"].contains(where: path.hasSuffix)
            || path.hasPrefix("config/rules.d/")
    }

    @Test
    func linesFit() {
        var problems: [String] = []
        for file in Tree.files where !LayoutTests.isWide(file.path) {
            for (index, line) in file.lines.enumerated()
            where line.count > LayoutTests.columnsMax {
                problems.append("\(file.place(index)): \(line.count) columns")
            }
        }
        expectNone(problems)
    }

    @Test
    func linesEndWithoutSpaces() {
        var problems: [String] = []
        for file in Tree.files {
            for (index, line) in file.lines.enumerated() where line.last == " " {
                problems.append("\(file.place(index)): a space at the end")
            }
        }
        expectNone(problems)
    }

    @Test
    func functionsAreShort() {
        var problems: [String] = []
        for file in Tree.swiftFiles {
            for function in Declarations.functions(in: file)
            where function.length > LayoutTests.functionLinesMax {
                problems.append(
                    "\(file.place(function.start)): \(function.name) has \(function.length) lines")
            }
        }
        expectNone(problems)
    }

    @Test
    func filesHaveOneConcern() {
        var problems: [String] = []
        for file in Tree.swiftFiles where file.lines.count > LayoutTests.fileLinesMax {
            problems.append("\(file.path): \(file.lines.count) lines")
        }
        expectNone(problems)
    }

    @Test
    func measuresFunctions() {
        let file = SourceFile(
            path: "x.swift",
            text: """
                protocol P {
                    func a()
                    init(b: Int)
                }
                @inlinable
                func c(
                    d: () -> Void = {}
                ) {
                    if x { y() }
                }
                struct S {
                    static func + (l: S, r: S) -> S { l }
                    init() {
                        f { init($0) }
                    }
                }
                """)
        let functions = Declarations.functions(in: file)
        #expect(functions.map(\.name) == ["c", "l", "init"])
        #expect(functions.map(\.length) == [5, 1, 3])
    }
}
