/// What `--help` prints: examples first, then what there is.
package enum Help {
    private static let width = 80

    /// The page of the program.
    package static func program(_ commands: [CommandDefinition]) -> String {
        let examples = [
            CommandDefinition.Example(
                "retryctl run -- rsync -a /srv/ backup:/srv/", "try now; if it fails, again later"),
            .init("retryctl list", "what waits, and until when"),
            .init("retryctl why 17", "why operation 17 does not run"),
        ]
        var lines = [
            "retryctl: hands failed operations to retryd and tells what becomes of them", "",
        ]
        lines += section("Examples", self.examples(examples))
        lines += ["Usage: retryctl [OPTION…] COMMAND …", ""]
        lines += section(
            "Commands", table(commands.map { ("  \($0.name)", $0.summary) }))
        lines += section("Options of every command", options(GlobalOptions.definitions))
        lines += section(
            "Exit codes", table(ExitCode.allCases.map { ("  \($0.rawValue)", $0.meaning) }))
        lines.append("\"retryctl COMMAND --help\" explains a command.")
        return lines.joined(separator: "\n")
    }

    /// The page of a command.
    package static func command(_ command: CommandDefinition) -> String {
        var lines = ["retryctl \(command.name): \(command.summary)", ""]
        lines += section("Examples", examples(command.examples))
        lines += [usage(command), ""]
        for paragraph in command.details { lines += wrap(paragraph, indent: 0) + [""] }
        if !command.options.isEmpty { lines += section("Options", options(command.options)) }
        if !command.exitCodes.isEmpty {
            lines += section(
                "Exit codes", table(command.exitCodes.map { ("  \($0.code)", $0.meaning) }))
        }
        lines.append("\"retryctl --help\" lists the options and exit codes of every command.")
        return lines.joined(separator: "\n")
    }

    /// One line: how the command is called.
    package static func usage(_ command: CommandDefinition) -> String {
        var parts = ["Usage: retryctl \(command.name)"]
        if !command.options.isEmpty { parts.append("[OPTION…]") }
        switch command.operands {
        case .words(let name, let min, let max):
            if max > 0 {
                let word = max == .max ? "\(name)…" : name
                parts.append(min > 0 ? word : "[\(word)]")
            }
        case .commandLine(let isRequired):
            parts.append(isRequired ? "-- COMMAND…" : "[-- COMMAND…]")
        case .wordsAndCommandLine(let name, _):
            parts.append("\(name) -- COMMAND…")
        }
        return parts.joined(separator: " ")
    }

    // MARK: Parts

    private static func section(_ heading: String, _ lines: [String]) -> [String] {
        ["\(heading):"] + lines + [""]
    }

    private static func examples(_ examples: [CommandDefinition.Example]) -> [String] {
        examples.flatMap { ["  $ \($0.line)", "      \($0.meaning)"] }
    }

    private static func options(_ options: [OptionDefinition]) -> [String] {
        table(
            options.map { option in
                var left = option.short.map { "  -\($0), " } ?? "  "
                left += "--\(option.name)"
                if let value = option.value {
                    left += option.valueWhenAlone == nil ? " \(value)" : "[=\(value)]"
                }
                return (left, option.help)
            })
    }

    /// Two columns; the right one is wrapped.
    private static func table(_ rows: [(left: String, right: String)]) -> [String] {
        let longest = rows.map(\.left.count).max() ?? 0
        let column = min(longest, 26) + 2
        return rows.flatMap { row -> [String] in
            let wrapped = wrap(row.right, indent: column)
            // What is too long for its column gets a line of its own.
            if row.left.count + 2 > column { return [row.left] + wrapped }
            let padding = String(repeating: " ", count: column - row.left.count)
            let first = wrapped[0].dropFirst(column)
            return [row.left + padding + first] + wrapped.dropFirst()
        }
    }

    private static func wrap(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            let isFirst = line.count == indent
            if !isFirst, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin + word
            } else {
                line += isFirst ? word : " \(word)"
            }
        }
        lines.append(line)
        return lines
    }
}
