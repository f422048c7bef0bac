import JSON

/// An answer of Explain as a page for people.
struct ExplanationPage {
    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    func write(_ answer: JSONValue) throws(CommandFailure) {
        try console.writeLine(console.coloured(headline(answer), .bold))
        try rule(answer)
        try messages(answer)
        try evidence(answer)
        try considered(answer)
        try causes(answer)
        try holds(answer)
        try schedule(answer)
    }

    private var console: Console { invocation.console }

    // MARK: The decision

    /// "retry, in 2min at the earliest".
    private func headline(_ answer: JSONValue) -> String {
        var text = self.text(answer, "disposition") ?? "?"
        if let condition = self.text(answer, "condition"), condition != "now" {
            text += " \(condition)"
        }
        if let action = self.text(answer, "action") { text += " \(action)" }
        if let seconds = answer["retry_after_s"]?.double {
            text += ", after \(TimeText.span(seconds: seconds)) at the earliest"
        }
        if let cause = self.text(answer, "cause") {
            text += answer["outcome"]?.string == "dead" ? ": given up" : ": parked"
            text += " (\(cause))"
        }
        return text
    }

    private func rule(_ answer: JSONValue) throws(CommandFailure) {
        if let rule = text(answer, "rule") {
            try line("rule", "\(rule) (phase \(text(answer, "phase") ?? "?"))")
            try line("", text(answer, "description"))
            try line("file", place(answer))
            try line("source", text(answer, "source"))
        } else {
            try line("rule", "none: no rule knows this failure")
        }
        try line("policy", text(answer, "policy"))
        try line("note", text(answer, "note").map(ExplanationPage.note))
        try line("gate", text(answer, "gate"))
        for hint in elements(answer, "hints") {
            var value = text(hint, "value") ?? ""
            if let path = text(hint, "path") { value = "\(path) = \(value)" }
            if let seconds = hint["wait_s"]?.double {
                value += ": \(TimeText.span(seconds: seconds))"
            }
            let isUsable = hint["usable"]?.bool ?? false
            if !isUsable { value += ": ignored" }
            try line("hint", "\(text(hint, "name") ?? ""), \(value)")
        }
    }

    private static func note(_ note: String) -> String {
        switch note {
        case "outcome-unknown":
            "the attempt may have taken effect, and nothing proves that repeating it is safe"
        case "unknown-retried": "unknown failures of this operation are retried"
        case "not-an-object": "the failure is no JSON object"
        case "too-deep": "its chain of causes is too long"
        case "limit-spent": "the rule decides so only a limited number of times in a row"
        default: note
        }
    }

    private func messages(_ answer: JSONValue) throws(CommandFailure) {
        guard let messages = answer["messages"], !messages.isNull else { return }
        try MessagesText.write(messages, to: console)
    }

    // MARK: How it was found

    private func evidence(_ answer: JSONValue) throws(CommandFailure) {
        try heading("evidence", elements(answer, "evidence").isEmpty)
        for evidence in elements(answer, "evidence") {
            try console.writeLine(
                "  \(text(evidence, "path") ?? "") = \(text(evidence, "value") ?? "")")
        }
    }

    private func considered(_ answer: JSONValue) throws(CommandFailure) {
        let considered = elements(answer, "considered")
        try heading("rules asked, in order", considered.isEmpty)
        for consideration in considered {
            let outcome =
                text(consideration, "mismatch").map { "no: \($0)" }
                ?? console.coloured("yes", .green)
            let cause = text(consideration, "cause").map { ", of \($0)" } ?? ""
            try console.writeLine(
                "  \(text(consideration, "rule") ?? "") (\(text(consideration, "phase") ?? ""), "
                    + "\(place(consideration))\(cause)): \(outcome)")
        }
    }

    private func causes(_ answer: JSONValue) throws(CommandFailure) {
        let causes = elements(answer, "causes")
        try heading("chain of errors, deepest first", causes.isEmpty)
        for cause in causes {
            try console.writeLine(
                "  \(text(cause, "error") ?? ""): \(text(cause, "outcome") ?? "")")
        }
    }

    private func holds(_ answer: JSONValue) throws(CommandFailure) {
        let holds = elements(answer, "holds")
        try heading("signals it depends on", holds.isEmpty)
        for hold in holds {
            let isOn = hold["on"]?.bool ?? false
            try console.writeLine(
                "  \(text(hold, "signal") ?? "") is \(isOn ? "on" : "off: it would be held")")
        }
    }

    // MARK: What would follow

    private func schedule(_ answer: JSONValue) throws(CommandFailure) {
        guard let schedule = answer["schedule"], !schedule.isNull else { return }
        let attempts = elements(schedule, "attempts")
        try heading("if each attempt fails alike", false)
        var table = Table([
            .init("attempt", .right), .init("after", .right), .init("earliest"), .init("latest"),
        ])
        var total: (least: Int64, most: Int64) = (0, 0)
        for attempt in attempts {
            let least = attempt["delay_ms_min"]?.integer ?? 0
            let most = attempt["delay_ms_max"]?.integer ?? 0
            total = (total.least &+ least, total.most &+ most)
            table.append([
                Table.Cell("\(attempt["attempt"]?.integer ?? 0)"),
                Table.Cell(range(least, most)),
                Table.Cell(TimeText.absolute(attempt["earliest_usec"]?.integer ?? 0)),
                Table.Cell(TimeText.absolute(attempt["latest_usec"]?.integer ?? 0)),
            ])
        }
        try table.write(to: console)
        let sum = "\(attempts.count) more attempts within \(range(total.least, total.most))"
        try console.writeLine("\(sum); \(end(schedule))")
    }

    private func end(_ schedule: JSONValue) -> String {
        switch schedule["end"]?.string {
        case "max-attempts": "then given up: max-attempts of the policy"
        case "max-age": "then given up: max-age of the policy"
        case "limit": "then the rule's limit is spent"
        case .some, nil: "and so on"
        }
    }

    /// "1s - 2s", "4s".
    private func range(_ leastMs: Int64, _ mostMs: Int64) -> String {
        let (least, most) = (ExplanationPage.span(leastMs), ExplanationPage.span(mostMs))
        return least == most ? least : "\(least) - \(most)"
    }

    private static func span(_ milliseconds: Int64) -> String {
        if milliseconds > 0, milliseconds < 1_000 { return "\(milliseconds)ms" }
        return TimeText.span(usec: milliseconds.multipliedReportingOverflow(by: 1_000).partialValue)
    }

    // MARK: Parts

    private func place(_ value: JSONValue) -> String {
        "\(text(value, "file") ?? "?"):\(value["line"]?.integer ?? 0)"
    }

    /// Escaped, for much of it came from whoever failed.
    private func text(_ value: JSONValue, _ name: StaticString) -> String? {
        value[name]?.string.map(TerminalText.escape)
    }

    private func elements(_ value: JSONValue, _ name: StaticString) -> [JSONValue] {
        value[name]?.elements.map(Array.init) ?? []
    }

    private func heading(_ text: String, _ isEmpty: Bool) throws(CommandFailure) {
        if !isEmpty { try console.writeLine(console.coloured(text, .faint)) }
    }

    private func line(_ name: String, _ value: String?) throws(CommandFailure) {
        guard let value else { return }
        let padding = String(repeating: " ", count: max(0, 8 - name.count))
        try console.writeLine("  \(name)\(padding)\(value)")
    }
}
