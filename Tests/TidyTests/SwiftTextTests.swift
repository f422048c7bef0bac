import Testing

@Suite
struct SwiftTextTests {
    @Test(arguments: [
        ("let x = 1 // async", "let x = 1         "),
        ("/* a /* b */ c */let", "                 let"),
        (#"f("a // \"b" )!"#, #"f("        " )!"#),
        (#"f("a \(g(x)!) b")"#, #"f("    g(x)!   ")"#),
        (##"f(#"a " \(b) \#(c) "#)"##, ##"f(#"            c  "#)"##),
        ("\"\"\"\n a \"b\" !\n\"\"\"x", "\"\"\"\n        \n\"\"\"x"),
        ("\"é\"!", "\" \"!"),
    ])
    func leavesCodeAlone(text: String, code: String) {
        #expect(SwiftText.codeAlone(text) == code)
    }

    @Test
    func findsWords() {
        #expect(Words.of("a.b_c(2, d)!").map(\.text) == ["a", "b_c", "2", "d"])
    }
}
