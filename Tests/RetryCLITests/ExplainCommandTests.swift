import JSON
import RetryCLI
import Support
import SystemKit
import Testing

/// The shipped program, without a daemon and with a fake one.
@Suite struct ExplainCommandTests {
    private let tree = BuiltProgram.tree
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Files.makeDirectory("\(directory.path)/rules.d", mode: 0o755)
    }

    private func explain(
        _ arguments: String..., input: String? = nil
    ) throws -> FinishedProgram {
        try FinishedProgram.run(
            [BuiltProgram.path("retryctl"), "explain", "--config", directory.path] + arguments,
            variables: [("LANG", "de_DE.UTF-8"), ("LC_ALL", nil), ("LC_MESSAGES", nil)],
            input: input.map { Array($0.utf8) })
    }

    private func write(_ rules: String, to name: String = "local.toml") throws {
        try Files.writeAtomically(
            "\(directory.path)/rules.d/\(name)", Array(rules.utf8), mode: 0o644)
    }

    private func values(_ text: String) throws -> [Value] {
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 64)
        return try text.split(separator: "\n").map { Value(try parser.parse(Array($0.utf8))) }
    }

    private func code(_ program: FinishedProgram) -> Int32? {
        if case .exited(let code) = program.end { code } else { nil }
    }

    @Test func everyCaseOfTheCaseFileIsExplainedAsItSays() throws {
        let path = "\(tree)/Tests/RetryRulesTests/Cases/classification.jsonl"
        let text = String(decoding: try Files.readAll(path, bytesMax: 16 << 20), as: UTF8.self)
        let cases = try values(text)
        #expect(cases.count == 270)
        let input = cases.map { $0["failure"].text + "\n" }.joined()
        let program = try explain("--offline", "--json=short", input: input)
        #expect(code(program) == 0, "\(program.errors)")
        let answers = try values(program.output)
        try #require(answers.count == cases.count)
        for (item, answer) in zip(cases, answers) {
            let id = item["id"].string ?? ""
            for name in ["disposition", "condition", "action"] {
                #expect(answer[name] == item["expect"][name], "\(id): \(name)")
            }
            #expect(
                answer["retry_after_s"].number == item["expect"]["retry_after_s"].number, "\(id)")
            #expect(answer["file"] != .null || answer["rule"] == .null, "\(id)")
        }
        let first = "{\"disposition\":\"retry\",\"condition\":\"now\",\"action\":null,"
            + "\"retry_after_s\":null,\"rule\":\"graph-transient\",\"file\":\""
        #expect(program.output.hasPrefix(first))
    }

    @Test func aLineThatIsNoDocumentIsToldAndTheOthersGoOn() throws {
        let deep = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        let long = "{\"message\":\"" + String(repeating: "a", count: 2 << 20) + "\"}"
        let input = """
            {"http":{"status":503}}
            {"http":
            [1]

            {"a":\(deep)}
            \(long)
            {"http":{"status":"503"},"n":123456789012345678901234567890}
            {"http":{"status":404}}
            """
        let program = try explain("--offline", "--json=short", input: input)
        #expect(code(program) == 65)
        let answers = try values(program.output)
        try #require(answers.count == 7)
        #expect(answers[0]["rule"] == "http-unavailable")
        for (index, line) in [(1, 2), (3, 5), (4, 6), (5, 7)] as [(Int, Int64)] {
            #expect(answers[index]["input_line"].integer == line)
            #expect((answers[index]["error"].string ?? "").count > 10)
        }
        #expect(answers[2]["note"] == "not-an-object")
        #expect(answers[2]["action"] == "introspect-cause")
        #expect(answers[6]["rule"] == "http-not-there")
    }

    @Test func bytesThatAreNotUTF8AreRefused() throws {
        let program = try FinishedProgram.run(
            [BuiltProgram.path("retryctl"), "explain", "--offline", "--json=short"],
            input: Array("{\"message\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8))
        #expect(code(program) == 65)
        #expect(try values(program.output)[0]["error"].string?.contains("UTF-8") == true)
    }

    @Test func aDocumentMayHaveSeveralLines() throws {
        let program = try explain(
            "--offline", "--json=short", input: "{\n  \"http\": {\n    \"status\": 429 }\n}\n")
        #expect(code(program) == 0)
        #expect(try values(program.output).map { $0["rule"] } == ["http-throttled"])
        let broken = try explain("--offline", "--json=short", input: "{\n  \"http\": {\n}\n")
        #expect(code(broken) == 65)
        #expect(try values(broken.output).map { $0["input_line"].integer } == [1])
        #expect(code(try explain("--offline", input: "\n \n")) == 65)
    }

    /// One line of the administrator's, and `explain` says that it was that one.
    @Test func oneLineOverridesAShippedRule() throws {
        let failure = ["--http-status", "409", "--offline", "--json=short"]
        let before = try values(
            try explain(failure[0], failure[1], failure[2], failure[3]).output)[0]
        #expect(before["disposition"] == "permanent")
        #expect(before["file"] == .string("\(tree)/config/rules.d/http.toml"))
        try write("\noverride.http-conflict = \"retry\"\n")
        let after = try values(
            try explain(failure[0], failure[1], failure[2], failure[3]).output)[0]
        #expect(after["disposition"] == "retry")
        #expect(after["rule"] == "http-conflict")
        #expect(after["file"] == .string("\(directory.path)/rules.d/local.toml"))
        #expect(after["line"].integer == 2)
    }

    @Test func onlyTheRulesOfADirectoryCount() throws {
        try write(
            "[[rule]]\nname = \"mine\"\nwhen.http.status = 404\nthen = \"new-flow\"\n")
        let rules = "\(directory.path)/rules.d"
        let mine = try explain("--rules", rules, "--json=short", "--http-status", "404")
        #expect(try values(mine.output)[0]["rule"] == "mine")
        let other = try explain("--rules", rules, "--json=short", "--http-status", "429")
        #expect(try values(other.output)[0]["rule"] == .null)
        let missing = try explain("--rules", "/nonexistent", "--http-status", "429")
        #expect(code(missing) == 65)
        #expect(missing.errors == "retryctl: /nonexistent: no such directory\n")
    }

    @Test func thePageTellsHowItWasFound() throws {
        let program = try explain(
            "--offline", "--http-status", "429", "--header", "Retry-After: 120", "--attempt", "18",
            "--at", "2026-03-01T12:00:00Z", "--policy", "slow")
        #expect(code(program) == 0, "\(program.errors)")
        for text in [
            "retry, after 2min at the earliest: given up (attempts-exhausted)\n",
            "rule    http-throttled (phase status)\n", "config/rules.d/http.toml:",
            "hint    retry-after, http.headers.retry-after = '120': 2min\n",
            "gate    open: ", "http.status = 429\n", "http-conflict (status, ",
            "http.status is 429, not 409\n", "people  ",
        ] {
            #expect(program.output.contains(text), "\(text)\n\(program.output)")
        }
        let third = try explain(
            "--offline", "--http-status", "503", "--attempt", "18", "--at",
            "2026-03-01T12:00:00Z")
        #expect(
            third.output.contains("2 more attempts within 2s - 2h; then given up: max-attempts"))
        #expect(third.output.contains("Es wird noch einmal versucht"))
        #expect(third.output.contains("Sun 2026-03-01 1"))
    }

    @Test func circumstancesCount() throws {
        func decision(_ arguments: String...) throws -> Value {
            let program = try FinishedProgram.run(
                [BuiltProgram.path("retryctl"), "explain", "--offline", "--json=short"] + arguments)
            return try values(program.output)[0]
        }
        let unknown = ["--message", "nobody knows it"]
        #expect(try decision(unknown[0], unknown[1])["disposition"] == "permanent")
        let retried = try decision(unknown[0], unknown[1], "--unknown=retry")
        #expect(retried["disposition"] == "retry")
        #expect(retried["note"] == "unknown-retried")
        let last = try decision("--http-status", "503", "--attempt", "20")
        #expect(last["cause"] == "attempts-exhausted")
        #expect(try decision("--http-status", "503", "--policy", "slow")["policy"] == "slow")
    }

    @Test func unfitWordsAreRefused() throws {
        for (arguments, reason) in [
            (["--at", "soon", "--errno", "EIO"], "--at soon: a date is needed"),
            (["--policy", "slwo", "--errno", "EIO"], "there is no policy \"slwo\"; there are"),
            (["--attempt", "0", "--errno", "EIO"], "--attempt 0: a whole number from 1"),
            (["--idempotent", "--not-idempotent", "--errno", "EIO"], "exclude each other"),
        ] {
            let tool = Tool(["explain", "--offline"] + arguments)
            #expect(tool.code == 64)
            #expect(tool.messages.contains(reason), "\(tool.messages)")
        }
    }

    @Test func theDaemonIsAskedWhereThereIsOne() throws {
        let brief = #"{"disposition":"retry","rule":"r"}"#
        let daemon = try Daemon(answering: brief)
        let tool = daemon.run(
            "explain", "--http-status", "503", "--credential", "c", "--attempt", "3", "--at", "@7",
            "--not-idempotent", "--json=short")
        #expect(tool.output == brief + "\n")
        #expect(daemon.requests[0].method == "io.retryd.Classify")
        #expect(
            daemon.requests[0].parameters
                == #"{"failure":{"http":{"status":503}},"attempt":3,"idempotent":false,"#
                + #""credential":"c","at_usec":7000000}"#)
        let none = Tool(["explain", "--http-status", "503"])
        #expect(none.code == 69)
        #expect(none.messages.hasSuffix("; --offline needs no retryd\n"))
        let full = try Daemon(
            answering: #"{"disposition":"reauthenticate","rule":null,"policy":"default","#
                + #""holds":[{"signal":"credential:c","on":false,"waiting":4}]}"#)
        let page = full.run("explain", "--http-status", "401", "--language", "de").output
        #expect(full.requests[0].method == "io.retryd.Explain")
        #expect(full.requests[0].parameters.contains(#""language":"de""#))
        #expect(page.contains("reauthenticate\n  rule    none: no rule knows this failure\n"))
        #expect(page.contains("credential:c is off: it would be held\n"))
    }
}
