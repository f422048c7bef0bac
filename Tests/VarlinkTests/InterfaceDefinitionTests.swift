import Testing
import Varlink

@Suite struct InterfaceDefinitionTests {
    @Test func readsEveryKindOfType() throws {
        let definition = try InterfaceDefinition(
            parsing: """
                # A drive.
                #  Second line.
                interface org.example-x.f2l
                # lost comment

                type Everything(a:bool,b: int , c: float,
                  # a string
                  d: string, e: object, f: any, g: (one, two), h: (x: int), i: []string,
                  j: [string]int, k: ?string, l: ?[](p: int, q: string), m: Other, n: [string]())
                type Other (one, two)

                # Jumps.
                method Jump(to: ?Other) -> ()
                method Stop()->(when: int) # now
                error TooFar (by: float)
                """)
        #expect(definition.name == "org.example-x.f2l")
        #expect(definition.documentation == "A drive.\n Second line.")
        #expect(definition.types.map(\.name) == ["Everything", "Other"])
        #expect(definition.types[0].documentation == "")
        #expect(
            definition.types[0].type.description
                == "(a: bool, b: int, c: float, d: string, e: object, f: any, g: (one, two), "
                + "h: (x: int), i: []string, j: [string]int, k: ?string, "
                + "l: ?[](p: int, q: string), m: Other, n: [string]())")
        #expect(definition.types[1].type == .enumeration(["one", "two"]))
        guard case .structure(let fields) = definition.types[0].type else {
            Issue.record("not a structure")
            return
        }
        #expect(fields[3].documentation == "a string")
        #expect(fields[4].documentation == "")
        #expect(definition.methods[0].documentation == "Jumps.")
        #expect(
            definition.methods.map(\.description)
                == ["method Jump(to: ?Other) -> ()", "method Stop() -> (when: int)"])
        #expect(definition.errors.map(\.name) == ["TooFar"])
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text ends where the keyword \"interface\" is needed"),
        ("type A ()", "line 1, column 1: a definition begins with \"interface NAME\""),
        ("interface foo\n", "line 1, column 11: \"foo\" is not a reverse-domain name"),
        ("interface a.-b\n", "line 1, column 11: \"a.-b\" is not a reverse-domain name"),
        (
            "interface a.b type A ()",
            "line 1, column 15: a line break must follow the interface's name"
        ),
        (
            "interface a.b\nmethod x() -> ()",
            "line 2, column 8: \"x\" must be letters and digits, a capital letter first"
        ),
        (
            "interface a.b\nmethod X()",
            "line 2, column 11: \"->\" is needed between the parameters and the reply of X"
        ),
        (
            "interface a.b\nmethod X(a) -> ()",
            "line 2, column 12: X takes fields with types, not an enumeration"
        ),
        ("interface a.b\ntype A (b: c)", "line 2, column 12: \"c\" is no type"),
        (
            "interface a.b\ntype A (b: int, c)",
            "line 2, column 18: \":\" and a type are needed after \"c\""
        ),
        (
            "interface a.b\ntype A (b: int b)",
            "line 2, column 16: \",\" is needed or \")\" after \"b\""
        ),
        ("interface a.b\ntype A (b: int, b: int)", "line 2, column 17: \"b\" stands twice"),
        (
            "interface a.b\ntype A (b__c: int)",
            "line 2, column 9: \"b__c\" must be letters, digits and single underscores"
        ),
        ("interface a.b\ntype A (b: ??int)", "line 2, column 13: \"?\" stands twice"),
        ("interface a.b\ntype A ()\nerror A ()", "line 3, column 7: \"A\" is defined twice"),
        (
            "interface a.b\ntype A () type B ()",
            "line 2, column 11: a line break must follow the definition of A"
        ),
        (
            "interface a.b\nsignal A ()",
            "line 2, column 1: \"signal\" is neither \"type\" nor \"method\" nor \"error\""
        ),
        (
            "interface a.b\ntype A (b: B)\n",
            "line 3, column 1: A uses the type B, which is not defined"
        ),
    ])
    func refuses(text: String, message: String) {
        let error = #expect(throws: InterfaceError.self) {
            try InterfaceDefinition(parsing: text)
        }
        #expect(error?.description == message)
    }

    @Test func refusesBottomlessTypes() {
        let text = "interface a.b\ntype A (b: " + String(repeating: "[]", count: 10_000) + "int)"
        #expect(throws: InterfaceError.self) { try InterfaceDefinition(parsing: text) }
        let nested = "interface a.b\ntype A " + String(repeating: "(b: ", count: 10_000)
        #expect(throws: InterfaceError.self) { try InterfaceDefinition(parsing: nested) }
    }

    /// Every prefix of a definition, and definitions with a byte changed: an error or a definition.
    @Test func survivesDamage() throws {
        let text = Array(
            "interface a.b\n# c\ntype A (b: ?[]A, c: [string](x, y))\nmethod M(a: A) -> ()\n".utf8)
        for count in 0..<text.count {
            _ = try? InterfaceDefinition(parsing: String(decoding: text[..<count], as: UTF8.self))
            for byte in [0, 0x28, 0x29, 0x3F, 0x5B, 0x23, 0xFF] as [UInt8] {
                var damaged = text
                damaged[count] = byte
                _ = try? InterfaceDefinition(parsing: String(decoding: damaged, as: UTF8.self))
            }
        }
    }
}
