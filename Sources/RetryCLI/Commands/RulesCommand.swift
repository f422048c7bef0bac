import JSON
import RetryClient
import RetryConfig
import RetryExplain
import RetryModel
import RetryRules
import SystemKit

/// `retryctl rules`
package enum RulesCommand {
    package static let definition = CommandDefinition(
        "rules", "list, show, test and check the rules",
        examples: [
            .init("retryctl rules list", "all in force, in the order in which they are asked"),
            .init("retryctl rules show http-throttled", "one with its conditions and texts"),
            .init("retryctl rules test --rules ./rules.d", "the samples beside the rules"),
            .init("retryctl rules check", "before a reload: is anything wrong, and where?"),
        ],
        details: [
            "\"list\" and \"show\" ask the daemon for the rules in force; with --offline, --rules "
                + "or --config they read the files, as \"test\" and \"check\" always do.",
            "\"test\" ends with 1 where a sample does not come out as it says. \"check\" reads "
                + "configuration and rules as a reload would and ends with 65 at the first "
                + "mistake, with file, line and column.",
        ],
        operands: .words("list|show NAME|test|check", min: 1, max: 2),
        options: [.flag("offline", "ask no daemon")] + RulesAtHand.options,
        exitCodes: [
            ("1", "test: a sample came out otherwise"),
            ("65", "check: a file is not as it should be"),
            ("66", "show: there is no such rule"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let words = invocation.arguments.words
        let takesName = words[0] == "show"
        if takesName, words.count < 2 {
            throw CommandFailure("which rule? \"retryctl rules show NAME\"", .usage)
        }
        if !takesName, words.count > 1 {
            throw CommandFailure("\"\(words[1])\" is one word too many", .usage)
        }
        switch words[0] {
        case "list": return try list(invocation)
        case "show": return try show(words[1], invocation)
        case "test": return try test(invocation)
        case "check": return try check(invocation)
        default:
            throw CommandFailure(
                "rules can be listed, shown, tested and checked (list, show, test, check), not "
                    + "\"\(words[0])\"", .usage)
        }
    }

    // MARK: Looking

    private static func list(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let answers = JSONParser(lengthMax: 64 << 20, depthMax: 64)
        let answer: JSONValue
        if RulesAtHand.isWanted(invocation.arguments) {
            let rules = try RulesAtHand(invocation.arguments).rules
            answer = parsed(answers) { writer in writer.rulesMember(rules) }
        } else {
            answer = try RulesAtHand.ask(invocation) { try $0.rulesRaw(nil) }
        }
        let rules = answer["rules"]?.elements.map(Array.init) ?? []
        if invocation.printsJSON {
            for rule in rules { try invocation.console.writeJSON(rule) }
            return ExitCode.success.rawValue
        }
        var table = Table([
            .init("RULE"), .init("PHASE"), .init("DECISION"), .init("POLICY"), .init("PLACE"),
        ])
        for rule in rules {
            table.append([
                Table.Cell(rule["name"]?.string ?? ""), Table.Cell(rule["phase"]?.string ?? ""),
                Table.Cell(rule["decision"]?.string ?? ""),
                Table.Cell(rule["policy"]?.string ?? "-"),
                Table.Cell("\(rule["file"]?.string ?? ""):\(rule["line"]?.integer ?? 0)"),
            ])
        }
        try table.write(to: invocation.console)
        if invocation.console.hasLegend {
            try invocation.console.writeLine("\(rules.count) rules")
        }
        return ExitCode.success.rawValue
    }

    private static func show(
        _ name: String, _ invocation: Invocation
    ) throws(CommandFailure) -> Int32 {
        let answers = JSONParser(lengthMax: 64 << 20, depthMax: 64)
        let answer: JSONValue
        if RulesAtHand.isWanted(invocation.arguments) {
            let rules = try RulesAtHand(invocation.arguments).rules
            answer = parsed(answers) { writer in writer.rulesMember(rules, named: name) }
        } else {
            answer = try RulesAtHand.ask(invocation) { try $0.rulesRaw(name) }
        }
        let rules = answer["rules"]?.elements.map(Array.init) ?? []
        if rules.isEmpty {
            throw CommandFailure(
                "there is no rule \"\(name)\"; \"retryctl rules list\" lists them", .notFound)
        }
        for rule in rules {
            if invocation.printsJSON {
                try invocation.console.writeJSON(rule)
            } else {
                try RulePage(invocation.console).write(rule)
            }
        }
        return ExitCode.success.rawValue
    }

    private static func parsed(
        _ parser: JSONParser, _ body: (inout JSONWriter) -> Void
    ) -> JSONValue {
        var writer = JSONWriter()
        writer.beginObject()
        body(&writer)
        writer.endObject()
        guard let value = try? parser.parse(writer.bytes) else {
            preconditionFailure("what was written is JSON")
        }
        return value
    }

    // MARK: Trying

    private static func test(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let rules = try RulesAtHand(invocation.arguments, keepsTests: true).rules
        let results = rules.runTests(now: WallTime(usec: invocation.nowUsec))
        let failed = results.filter { $0.problem != nil }
        let console = invocation.console
        if invocation.printsJSON {
            for result in results { try console.writeJSON(result.json) }
        } else {
            for result in failed {
                try console.writeLine(
                    TerminalText.escape(
                        "\(result.file):\(result.line): \(result.rule): \(result.problem ?? "")"))
            }
            if console.hasLegend {
                try console.writeLine(
                    failed.isEmpty
                        ? "\(results.count) samples come out as they say"
                        : "\(failed.count) of \(results.count) samples come out otherwise")
            }
        }
        return failed.isEmpty ? ExitCode.success.rawValue : ExitCode.failure.rawValue
    }

    private static func check(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let read = try RulesAtHand(invocation.arguments)
        let console = invocation.console
        let unknown = read.rules.unknownPolicies(known: read.configuration.policies.map(\.name))
        for warning in read.warnings { console.complain(warning) }
        for error in unknown { console.complain("\(error)") }
        guard unknown.isEmpty else { return ExitCode.badInput.rawValue }
        if invocation.printsJSON {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("rules")
            writer.integer(Int64(read.rules.rules.count))
            writer.name("rule_files")
            writer.integer(Int64(read.ruleFileCount))
            writer.name("files")
            writer.beginArray()
            for file in read.files { writer.string(file) }
            writer.endArray()
            writer.endObject()
            try console.writeJSON(writer.bytes)
        } else {
            let files = read.files.isEmpty ? ["the defaults"] : read.files
            try console.writeLine(
                TerminalText.escape(
                    "configuration: \(files.joined(separator: ", ")); "
                        + "\(read.rules.rules.count) rules in \(read.ruleFileCount) files; "
                        + "nothing is wrong"))
        }
        return ExitCode.success.rawValue
    }
}

extension RuleTestResult {
    /// For programs.
    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("rule")
        writer.string(rule)
        writer.name("file")
        writer.string(file)
        writer.name("line")
        writer.integer(Int64(line))
        writer.name("problem")
        if let problem { writer.string(problem) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }
}
