import RetryCLI
import Support
import SystemKit
import Testing

@Suite struct RulesCommandTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: String...) -> Tool {
        Tool(["rules"] + arguments + ["--rules", directory.path])
    }

    private func write(_ rules: String, to name: String = "a.toml") throws {
        try Files.writeAtomically("\(directory.path)/\(name)", Array(rules.utf8), mode: 0o644)
    }

    private let good = """
        [[rule]]
        name = "busy"
        description = "It is busy."
        when.http.status = [409, 423]
        then = { decision = "retry", policy = "slow", limit = 3 }
        [rule.messages.en]
        title = "Busy"
        options = [{ name = "go", label = "Go", does = "retry" }]
        [[rule.test]]
        failure.http.status = 409

        """

    @Test func listsAndShows() throws {
        try write(good)
        let list = run("list")
        #expect(list.code == 0)
        #expect(
            list.outputLines == [
                "RULE  PHASE   DECISION  POLICY  PLACE",
                "busy  status  retry     slow    \(directory.path)/a.toml:1",
                "1 rules",
            ])
        #expect(
            run("list", "--json=short").output
                == #"{"name":"busy","phase":"status","decision":"retry","policy":"slow","#
                + #""file":"\#(directory.path)/a.toml","line":1,"description":"It is busy."}"#
                + "\n")
        let page = run("show", "busy")
        #expect(page.outputLines[0] == "busy: retry")
        for line in [
            "  when    http.status is 409 or 423", "  policy  slow", "  people  Busy",
            "  limit   3 in a row, then permanent introspect-cause", "          [go] Go (retry)",
        ] {
            #expect(page.outputLines.contains(line), "\(page.output)")
        }
        let none = run("show", "bussy")
        #expect(none.code == 66)
        #expect(none.messages.contains("there is no rule \"bussy\""))
    }

    @Test func aSampleThatComesOutOtherwiseIsNamed() throws {
        try write(good)
        #expect(run("test").code == 0)
        #expect(run("test").output == "1 samples come out as they say\n")
        try write(good + "[[rule.test]]\nfailure.http.status = 404\n")
        let failed = run("test")
        #expect(failed.code == 1)
        #expect(
            failed.outputLines == [
                "\(directory.path)/a.toml:11: busy: no rule decides, not busy",
                "1 of 2 samples come out otherwise",
            ])
        let lines = run("test", "--json=short").outputLines
        #expect(lines.count == 2)
        #expect(lines[0].hasSuffix(#""line":9,"problem":null}"#))
        #expect(lines[1].hasSuffix(#""line":11,"problem":"no rule decides, not busy"}"#))
    }

    @Test func checkNamesThePlaceAndWhatWasMeant() throws {
        try write(good)
        #expect(run("check").code == 0)
        #expect(run("check").output.hasSuffix("; 1 rules in 1 files; nothing is wrong\n"))
        for (rules, complaint) in [
            ("[[rule]]\nname = \"x\"\nphse = \"body\"\nwhen.http.status = 1\nthen = \"retry\"\n",
                ":3:1: unknown name 'phse' in [[rule]], did you mean 'phase'?"),
            ("[[rule]]\nname = \"x\"\nwhen.http.status = 1\n"
                + "then = { decision = \"retry\", policy = \"slwo\" }\n",
                ":4:39: rule 'x' names a policy 'slwo', which is defined nowhere, did you mean "
                + "'slow'?"),
            ("override.bsy = \"retry\"\n", ":1:10: "),
            ("[[rule]\n", ":1:"),
        ] {
            try write(rules, to: "b.toml")
            let tool = run("check")
            #expect(tool.code == 65)
            let start = "retryctl: \(directory.path)/b.toml\(complaint)"
            #expect(tool.messages.hasPrefix(start), "\(tool.messages)")
        }
        // Anything else that is read is refused just so.
        #expect(run("list").code == 65)
    }

    @Test func theRulesInForceAreTheDaemons() throws {
        let daemon = try Daemon(
            answering: #"{"rules":[{"name":"r","phase":"body","decision":"retry","policy":null,"#
                + #""file":"f","line":3}]}"#)
        #expect(daemon.run("rules", "list").outputLines[1] == "r     body   retry     -       f:3")
        #expect(daemon.run("rules", "show", "r").outputLines[0] == "r: retry")
        #expect(daemon.requests.map(\.parameters) == ["{}", #"{"name":"r"}"#])
        #expect(daemon.requests.allSatisfy { $0.method == "io.retryd.Rules" })
    }

    @Test func unfitWordsAreRefused() {
        #expect(Tool(["rules", "chekc"]).code == 64)
        #expect(Tool(["rules", "show"]).messages.hasPrefix("retryctl: which rule?"))
        #expect(Tool(["rules", "list", "x"]).code == 64)
    }
}
