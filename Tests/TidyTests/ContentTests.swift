import Testing

/// What files say, and what they may not.
@Suite
struct ContentTests {
    /// Written in two parts each, or this file would not pass.
    private static let loose = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "// place" + "holder"]
    /// Directories that exist on one machine only.
    private static let machines = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/runner"]

    @Test
    func nothingIsLeftForLater() {
        var problems: [String] = []
        for file in Tree.files where !file.path.hasSuffix(".jsonl") {
            for (index, line) in file.lines.enumerated() {
                for word in ContentTests.loose where line.contains(word) {
                    problems.append("\(file.place(index)): \(word)")
                }
            }
        }
        expectNone(problems)
    }

    @Test
    func noPathOfOneMachine() {
        var problems: [String] = []
        for file in Tree.files where !file.path.hasSuffix(".jsonl") {
            for (index, line) in file.lines.enumerated() {
                for path in ContentTests.machines where line.contains(path) {
                    problems.append("\(file.place(index)): \(path)")
                }
            }
        }
        expectNone(problems)
    }

    @Test
    func visibleTypesHaveADocstring() {
        var problems: [String] = []
        for file in Tree.swiftSources {
            for (index, line) in file.code.enumerated() {
                guard let type = Declarations.visibleType(line) else { continue }
                if !ContentTests.hasDocstring(file, index) {
                    problems.append("\(file.place(index)): \(type) has no docstring")
                }
            }
        }
        expectNone(problems)
    }

    @Test(arguments: [
        ("package struct Span {", "Span"), ("public final class A: B {", "A"),
        ("    package enum C: String {", "C"), ("struct D {", nil), ("package func e() {", nil),
        ("package class func f() {", nil), ("package extension G {", nil),
    ])
    func findsVisibleTypes(line: String, type: String?) {
        #expect(Declarations.visibleType(line).map { String($0) } == type)
    }

    /// Whether `///` stands above a declaration and its attributes.
    private static func hasDocstring(_ file: SourceFile, _ index: Int) -> Bool {
        var above = index - 1
        while above >= 0, file.lines[above].trimmed.hasPrefix("@") { above -= 1 }
        return above >= 0 && file.lines[above].trimmed.hasPrefix("///")
    }
}
