import TOML

/// A command line, taken apart by the definitions.
package struct ParsedArguments: Sendable {
    /// Values by option name; an option without value has "".
    package var options: [String: [String]] = [:]
    package var words: [String] = []
    /// What is to be run.
    package var commandLine: [String] = []

    package func has(_ name: String) -> Bool { options[name] != nil }
    package func value(_ name: String) -> String? { options[name]?.last }
    package func values(_ name: String) -> [String] { options[name] ?? [] }
}

/// Takes command lines apart: `retryctl [OPTION…] COMMAND [OPTION…] [WORD…] [-- COMMAND…]`.
///
/// The options every command has may stand before it. Long options take their value behind `=` or
/// as the next argument, short ones also directly behind them.
package struct ArgumentParser {
    private let global: [OptionDefinition]
    private let commands: [CommandDefinition]
    private var arguments: ArraySlice<String>
    private var parsed = ParsedArguments()

    private init(
        global: [OptionDefinition], commands: [CommandDefinition], arguments: [String]
    ) {
        self.global = global
        self.commands = commands
        self.arguments = arguments[...]
    }

    /// What a command line asks for.
    package struct Result {
        /// Nil where options alone say it all (`--help`, `--version`).
        package var command: CommandDefinition?
        package var arguments: ParsedArguments
    }

    /// - Parameter global: options of every command. Where `help` or `version` is given, nothing
    ///   else has to be complete.
    package static func parse(
        _ arguments: [String], global: [OptionDefinition], commands: [CommandDefinition]
    ) throws(ArgumentError) -> Result {
        var parser = ArgumentParser(global: global, commands: commands, arguments: arguments)
        let command = try parser.takeCommand()
        if let command {
            try parser.takeArguments(of: command)
            if !parser.asksForHelp { try parser.checkOperands(of: command) }
        }
        return Result(command: command, arguments: parser.parsed)
    }

    private var asksForHelp: Bool { parsed.has("help") || parsed.has("version") }

    private mutating func takeCommand() throws(ArgumentError) -> CommandDefinition? {
        while let argument = arguments.popFirst() {
            if argument.utf8.first == UInt8(ascii: "-"), argument != "-" {
                try takeOption(argument, of: global)
                continue
            }
            guard let command = commands.first(where: { $0.name == argument }) else {
                let nearest = NearestName.find(argument, in: commands.map(\.name))
                throw .unknownCommand(argument, nearest: nearest)
            }
            return command
        }
        if asksForHelp { return nil }
        throw .noCommand
    }

    private mutating func takeArguments(of command: CommandDefinition) throws(ArgumentError) {
        let known = command.options + global
        while let argument = arguments.popFirst() {
            if argument == "--" {
                switch command.operands {
                case .words: parsed.words += arguments
                case .commandLine, .wordsAndCommandLine: parsed.commandLine = Array(arguments)
                }
                return
            }
            if argument.utf8.first == UInt8(ascii: "-"), argument != "-" {
                try takeOption(argument, of: known)
                continue
            }
            switch command.operands {
            case .words, .wordsAndCommandLine: parsed.words.append(argument)
            case .commandLine:
                parsed.commandLine = [argument] + arguments
                return
            }
        }
    }

    private func checkOperands(of command: CommandDefinition) throws(ArgumentError) {
        switch command.operands {
        case .words(let name, let min, let max):
            if parsed.words.count < min { throw .wordMissing(name) }
            if parsed.words.count > max { throw .wordTooMany(parsed.words[max]) }
        case .commandLine(let isRequired):
            if isRequired, parsed.commandLine.isEmpty { throw .commandLineMissing }
        case .wordsAndCommandLine(let name, let count):
            if parsed.words.count < count { throw .wordMissing(name) }
            if parsed.words.count > count { throw .wordTooMany(parsed.words[count]) }
            if parsed.commandLine.isEmpty { throw .commandLineMissing }
        }
    }

    // MARK: Options

    private mutating func takeOption(
        _ argument: String, of known: [OptionDefinition]
    ) throws(ArgumentError) {
        if argument.hasPrefix("--") {
            try takeLongOption(argument, of: known)
        } else {
            try takeShortOptions(argument, of: known)
        }
    }

    private mutating func takeLongOption(
        _ argument: String, of known: [OptionDefinition]
    ) throws(ArgumentError) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = known.first(where: { $0.name == name }) else {
            let nearest = NearestName.find(name, in: known.map(\.name))
            throw .unknownOption("--\(name)", nearest: nearest.map { "--\($0)" })
        }
        try add(option, attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    private mutating func takeShortOptions(
        _ argument: String, of known: [OptionDefinition]
    ) throws(ArgumentError) {
        var rest = argument.dropFirst()
        while let letter = rest.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else {
                throw .unknownOption("-\(letter)", nearest: nil)
            }
            if option.value != nil, !rest.isEmpty {
                try add(option, attached: String(rest))
                return
            }
            try add(option, attached: nil)
        }
    }

    private mutating func add(
        _ option: OptionDefinition, attached: String?
    ) throws(ArgumentError) {
        guard let value = option.value else {
            if attached != nil { throw .valueNotTaken(option: option.name) }
            parsed.options[option.name] = [""]
            return
        }
        guard let given = attached ?? option.valueWhenAlone ?? arguments.popFirst() else {
            throw .valueMissing(option: option.name, value: value)
        }
        if let choices = option.choices, !choices.contains(given) {
            throw .notAChoice(option: option.name, value: given, choices: choices)
        }
        if !option.isRepeatable, parsed.has(option.name) {
            throw .givenTwice(option: option.name)
        }
        parsed.options[option.name, default: []].append(given)
    }
}
