package import JSON

/// What a person is told about a failure, and may choose.
package enum MessagesText {
    /// Writes the type `Messages`.
    package static func write(
        _ messages: JSONValue, to console: Console
    ) throws(CommandFailure) {
        let title = messages["title"]?.string ?? ""
        try console.writeLine("  people  \(TerminalText.escape(title))")
        for name: StaticString in ["description", "suggestion"] {
            guard let text = messages[name]?.string else { continue }
            try console.writeLine("          \(TerminalText.escape(text))")
        }
        for option in messages["options"]?.elements.map(Array.init) ?? [] {
            let name = TerminalText.escape(option["name"]?.string ?? "")
            let label = TerminalText.escape(option["label"]?.string ?? "")
            let effect = TerminalText.escape(option["effect"]?.string ?? "")
            try console.writeLine("          [\(name)] \(label) (\(effect))")
        }
    }
}
