/// A command of `retryctl`, with all that parser and help need to know about it.
package struct CommandDefinition: Sendable {
    /// What a command takes besides options.
    package enum Operands: Sendable {
        /// So many words. `name` is what help calls them.
        case words(String, min: Int, max: Int)
        /// A command line to run, which begins behind `--` or with the first word that is no
        /// option; everything from there on belongs to it.
        case commandLine(isRequired: Bool)
        /// So many words, then behind `--` a command line to run.
        case wordsAndCommandLine(String, count: Int)
    }

    /// A line to type, and what it does.
    package struct Example: Sendable {
        package let line: String
        package let meaning: String

        package init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    package let name: String
    /// One line, for the list of commands.
    package let summary: String
    package let examples: [Example]
    /// What must be known to use it, in short paragraphs.
    package let details: [String]
    package let operands: Operands
    package let options: [OptionDefinition]
    /// Exit codes that mean something special here.
    package let exitCodes: [(code: String, meaning: String)]
    package let run: @Sendable (Invocation) throws(CommandFailure) -> Int32

    package init(
        _ name: String, _ summary: String, examples: [Example], details: [String] = [],
        operands: Operands = .words("", min: 0, max: 0), options: [OptionDefinition] = [],
        exitCodes: [(code: String, meaning: String)] = [],
        run: @escaping @Sendable (Invocation) throws(CommandFailure) -> Int32
    ) {
        self.name = name
        self.summary = summary
        self.examples = examples
        self.details = details
        self.operands = operands
        self.options = options
        self.exitCodes = exitCodes
        self.run = run
    }
}
