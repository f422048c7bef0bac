import JSON
import RetryClient
import RetryModel
import RetryRules
import SystemKit

/// `retryctl explain`
package enum ExplainCommand {
    package static let definition = CommandDefinition(
        "explain", "say what a failure means, why, and what would follow",
        examples: [
            .init(
                "retryctl explain --http-status 429 --header 'Retry-After: 120'",
                "the rule that decides, those before it, and the schedule"),
            .init("retryctl explain --program curl --exit-code 7", "a program's exit code"),
            .init("retryctl explain < failure.json", "a whole failure document"),
            .init(
                "retryctl explain --offline --json=short < failures.jsonl",
                "for programs: one document a line, one answer a line, in order"),
            .init(
                "retryctl explain --rules ./rules.d --http-status 409",
                "by rules that are not installed yet"),
        ],
        details: [
            "Nothing is stored and nothing is sent. Without options that build a failure, failure "
                + "documents are read from standard input: one, or one a line.",
            "The daemon is asked, for it knows besides whether something is held. With --offline, "
                + "--rules or --config no daemon is needed: rules and policies are read from where "
                + "it has them.",
            "--json=short writes what was decided, by which rule, file and line; --json=pretty "
                + "all of the explanation. A line that is no failure document gives an object with "
                + "\"error\" and \"input_line\".",
        ],
        options: FailureOptions.definitions + [
            .value("attempt", "NUMBER", "the failure is that of this attempt (default 1)"),
            .value("policy", "NAME", "the operation asks for this policy"),
            .choice(
                "unknown", OperationDraft.Unknown.allCases.map(\.rawValue),
                "what to make of failures that no rule knows"),
            .flag("idempotent", "repeating the operation is safe"),
            .flag("not-idempotent", "it is not when nobody knows how it ended"),
            .value("credential", "NAME", "the sign-in the operation uses"),
            .value("scope", "SCOPE", "whose foreground it waits for: user:UID or app:NAME"),
            .value("at", "TIME", "judge as of then: ISO 8601, an HTTP date or @SECONDS"),
            .value("language", "TAG", "of the texts for people (default: as LANG says)"),
            .flag("offline", "ask no daemon"),
        ] + RulesAtHand.options,
        exitCodes: [("65", "a line was no failure document; the others were answered")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let question = try question(invocation)
        let judge = try Judge(invocation, question)
        guard let failure = try FailureOptions.failure(invocation) else {
            return try explainInput(invocation, judge)
        }
        let parser = FailureParser()
        do throws(JSONError) {
            _ = try parser.parse(failure.bytes)
        } catch {
            throw CommandFailure("the failure: \(error.message)", .badInput)
        }
        try judge.explain(failure.bytes, parser)
        return ExitCode.success.rawValue
    }

    /// - Returns: The exit code.
    private static func explainInput(
        _ invocation: Invocation, _ judge: Judge
    ) throws(CommandFailure) -> Int32 {
        if Terminal.isTerminal(0) {
            throw CommandFailure(
                "what failed? Give options such as --http-status or --exit-code, or a failure "
                    + "document on standard input", .usage)
        }
        let parser = FailureParser()
        var reader = DocumentReader(0)
        var code = ExitCode.success
        var count = 0
        while let document = try reader.next() {
            switch document.content {
            case .success(let text):
                if count > 0, !invocation.printsJSON { try invocation.console.writeLine("") }
                try judge.explain(text, parser)
            case .failure(let error):
                code = .badInput
                try refuse(error, line: document.line, invocation)
            }
            count += 1
            try invocation.console.flush()
        }
        if count == 0 {
            throw CommandFailure("there is no failure document on standard input", .badInput)
        }
        return code.rawValue
    }

    private static func refuse(
        _ error: JSONError, line: Int, _ invocation: Invocation
    ) throws(CommandFailure) {
        guard invocation.printsJSON else {
            return invocation.console.complain("line \(line): \(error.message)")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("error")
        writer.string(error.message)
        writer.name("input_line")
        writer.integer(Int64(line))
        writer.endObject()
        try invocation.console.writeJSON(writer.bytes)
    }

    // MARK: Circumstances

    static func question(_ invocation: Invocation) throws(CommandFailure) -> FailureQuestion {
        let arguments = invocation.arguments
        var question = FailureQuestion()
        question.attempt = try invocation.integer("attempt", in: 1...Int64(UInt16.max))
        question.policy = arguments.value("policy")
        question.unknown = arguments.value("unknown").flatMap(OperationDraft.Unknown.init)
        question.credential = arguments.value("credential")
        question.scope = arguments.value("scope")
        question.language = arguments.value("language") ?? Language.ofPerson
        if arguments.has("idempotent"), arguments.has("not-idempotent") {
            throw CommandFailure("--idempotent and --not-idempotent exclude each other", .usage)
        }
        if arguments.has("idempotent") { question.isIdempotent = true }
        if arguments.has("not-idempotent") { question.isIdempotent = false }
        guard let text = arguments.value("at") else { return question }
        let moment =
            text.hasPrefix("@") ? WallTime(written: String(text.dropFirst()))
            : WallTime(written: text)
        guard let moment else {
            throw CommandFailure(
                "--at \(text): a date is needed, as 2026-03-01T12:00:00Z or @SECONDS since 1970",
                .usage)
        }
        question.atUsec = moment.usec
        return question
    }
}

/// Whom to ask, and how to print what is answered.
private struct Judge {
    private let invocation: Invocation
    private let question: FailureQuestion
    /// Nil: the daemon is asked.
    private let offline: OfflineExplainer?
    private let answers = JSONParser(lengthMax: 16 << 20, depthMax: 64)

    init(_ invocation: Invocation, _ question: FailureQuestion) throws(CommandFailure) {
        self.invocation = invocation
        self.question = question
        let arguments = invocation.arguments
        guard RulesAtHand.isWanted(arguments) else {
            offline = nil
            return
        }
        let rules = try RulesAtHand(arguments)
        for warning in rules.warnings { invocation.console.complain(warning) }
        offline = try OfflineExplainer(rules, question)
    }

    /// - Parameter text: A document that parses.
    func explain(_ text: [UInt8], _ parser: FailureParser) throws(CommandFailure) {
        // Scripts that ask for many want what was decided, not how.
        let isBrief = invocation.console.jsonMode == .short
        guard let offline else {
            let failure = RawJSON(text)
            let answer = try RulesAtHand.ask(invocation) { client in
                isBrief
                    ? try client.classifyRaw(failure, question)
                    : try client.explainRaw(failure, question)
            }
            return try write(answer)
        }
        guard let failure = try? parser.parse(text) else {
            preconditionFailure("a document that was parsed before")
        }
        let answer = isBrief ? offline.classify(failure) : offline.explain(failure)
        if invocation.printsJSON { return try invocation.console.writeJSON(answer) }
        guard let value = try? answers.parse(answer) else {
            preconditionFailure("what was written is JSON")
        }
        try write(value)
    }

    private func write(_ answer: JSONValue) throws(CommandFailure) {
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            try ExplanationPage(invocation).write(answer)
        }
    }
}

/// The language of the person at the terminal.
package enum Language {
    /// As locale(7) has it: LC_ALL before LC_MESSAGES before LANG; `C` and `POSIX` are English.
    package static var ofPerson: String {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            guard let value = Environment.value(name), !value.isEmpty else { continue }
            return value == "POSIX" || value.utf8.first == UInt8(ascii: "C") ? "en" : value
        }
        return "en"
    }
}
