/// An option as a command takes it.
package struct OptionDefinition: Sendable {
    /// What it is called in code: the long name without its dashes.
    package let name: String
    /// The other spelling, e.g. `-q`.
    package let short: Character?
    /// How help calls its value; nil: it takes none.
    package let value: String?
    /// What the value is when the option stands alone; it must then be given by `=`.
    package let valueWhenAlone: String?
    /// The words it takes; nil: anything.
    package let choices: [String]?
    package let isRepeatable: Bool
    package let help: String

    private init(
        _ name: String, short: Character?, value: String?, valueWhenAlone: String?,
        choices: [String]?, isRepeatable: Bool, help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.valueWhenAlone = valueWhenAlone
        self.choices = choices
        self.isRepeatable = isRepeatable
        self.help = help
    }

    /// An option that is given or not.
    package static func flag(
        _ name: String, short: Character? = nil, _ help: String
    ) -> OptionDefinition {
        OptionDefinition(
            name, short: short, value: nil, valueWhenAlone: nil, choices: nil,
            isRepeatable: false, help: help)
    }

    /// An option with a value, given once.
    package static func value(
        _ name: String, short: Character? = nil, _ value: String, alone: String? = nil,
        _ help: String
    ) -> OptionDefinition {
        OptionDefinition(
            name, short: short, value: value, valueWhenAlone: alone, choices: nil,
            isRepeatable: false, help: help)
    }

    /// An option with one of a few words.
    package static func choice(
        _ name: String, _ choices: [String], alone: String? = nil, _ help: String
    ) -> OptionDefinition {
        OptionDefinition(
            name, short: nil, value: choices.joined(separator: "|"), valueWhenAlone: alone,
            choices: choices, isRepeatable: false, help: help)
    }

    /// An option with a value that may be given several times.
    package static func list(
        _ name: String, short: Character? = nil, _ value: String, _ help: String
    ) -> OptionDefinition {
        OptionDefinition(
            name, short: short, value: value, valueWhenAlone: nil, choices: nil,
            isRepeatable: true, help: help)
    }
}
