import JSON

/// A rule with all there is to it, as a page for people.
struct RulePage {
    private let console: Console

    init(_ console: Console) {
        self.console = console
    }

    func write(_ rule: JSONValue) throws(CommandFailure) {
        let name = text(rule, "name") ?? ""
        try console.writeLine(
            "\(console.coloured(name, .bold)): \(text(rule, "decision") ?? "")")
        try line("", text(rule, "description"))
        try line("file", "\(text(rule, "file") ?? ""):\(rule["line"]?.integer ?? 0)")
        try line("source", text(rule, "source"))
        try line("phase", text(rule, "phase"))
        try conditions(rule)
        try line("hints", list(rule, "hints"))
        try line("applied", text(rule, "applied"))
        try line("policy", text(rule, "policy"))
        if let limit = rule["limit"]?.integer {
            let after = text(rule, "after_limit") ?? ""
            try line("limit", "\(limit) in a row, then \(after)")
        }
        for messages in rule["messages"]?.elements.map(Array.init) ?? [] {
            try line("text", text(messages, "language"))
            try MessagesText.write(messages, to: console)
        }
    }

    private func conditions(_ rule: JSONValue) throws(CommandFailure) {
        for (number, all) in elements(rule, "when").enumerated() {
            try line(number == 0 ? "when" : "or", sentence(all))
        }
        for (number, all) in elements(rule, "pack").enumerated() {
            try line(number == 0 ? "and" : "or", sentence(all))
        }
    }

    private func sentence(_ all: JSONValue) -> String {
        let parts = all.elements.map(Array.init) ?? []
        return parts.map { TerminalText.escape($0.string ?? "") }.joined(separator: " and ")
    }

    private func list(_ rule: JSONValue, _ name: StaticString) -> String? {
        let parts = elements(rule, name).map { TerminalText.escape($0.string ?? "") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func elements(_ value: JSONValue, _ name: StaticString) -> [JSONValue] {
        value[name]?.elements.map(Array.init) ?? []
    }

    private func text(_ value: JSONValue, _ name: StaticString) -> String? {
        value[name]?.string.map(TerminalText.escape)
    }

    private func line(_ name: String, _ value: String?) throws(CommandFailure) {
        guard let value else { return }
        let padding = String(repeating: " ", count: max(0, 8 - name.count))
        try console.writeLine("  \(name)\(padding)\(value)")
    }
}
