import RetryCLI
import Testing

@Suite struct ArgumentParserTests {
    private static let options: [OptionDefinition] = [
        .flag("all", short: "a", "everything"),
        .flag("brief", short: "b", "less"),
        .value("key", short: "k", "KEY", "the key"),
        .list("tag", "TAG", "tags"),
        .choice("mode", ["short", "pretty"], alone: "pretty", "how"),
    ]
    private static let commands = [
        CommandDefinition(
            "look", "words", examples: [], operands: .words("ID", min: 1, max: 2), options: options
        ) { _ in 0 },
        CommandDefinition(
            "run", "a command", examples: [], operands: .commandLine(isRequired: true),
            options: options
        ) { _ in 0 },
        CommandDefinition(
            "work", "both", examples: [], operands: .wordsAndCommandLine("QUEUE", count: 1),
            options: options
        ) { _ in 0 },
    ]
    private static let global: [OptionDefinition] = [
        .flag("quiet", short: "q", "be quiet"), .flag("help", short: "h", "help"),
        .value("socket", "PATH", "socket"),
    ]

    private func parse(_ line: String) throws -> ParsedArguments {
        try ArgumentParser.parse(
            line.split(separator: " ").map(String.init), global: ArgumentParserTests.global,
            commands: ArgumentParserTests.commands
        ).arguments
    }

    @Test func takesOptionsAnywhereBeforeTheEnd() throws {
        let parsed = try parse("-q --socket /s look --key k1 17 --tag a --tag=b -a 18")
        #expect(parsed.words == ["17", "18"])
        #expect(parsed.value("key") == "k1")
        #expect(parsed.values("tag") == ["a", "b"])
        #expect(parsed.value("socket") == "/s")
        #expect(parsed.has("quiet") && parsed.has("all"))
        #expect(!parsed.has("brief"))
    }

    @Test(arguments: ["look -abk x 1", "look -ab -kx 1", "look -k x -ba 1", "look -abkx 1"])
    func takesShortOptionsTogether(line: String) throws {
        let parsed = try parse(line)
        #expect(parsed.has("all") && parsed.has("brief"))
        #expect(parsed.value("key") == "x")
        #expect(parsed.words == ["1"])
    }

    @Test func anOptionWithADefaultTakesItsValueByTheSignOnly() throws {
        let parsed = try parse("look --mode 1")
        #expect(parsed.value("mode") == "pretty")
        #expect(parsed.words == ["1"])
        #expect(try parse("look --mode=short 1").value("mode") == "short")
    }

    @Test func valuesMayLookLikeAnything() throws {
        #expect(try parse("look --key=a=b 1").value("key") == "a=b")
        #expect(try parse("look --key --all 1").value("key") == "--all")
        #expect(try parse("look --key= 1").value("key") == "")
        #expect(try parse("look - 1").words == ["-", "1"])
        #expect(try parse("look -- -1 --all").words == ["-1", "--all"])
    }

    @Test func aCommandLineBeginsWithItsFirstWord() throws {
        for line in ["run -a -- ls -l --key x", "run -a ls -l --key x"] {
            let parsed = try parse(line)
            #expect(parsed.commandLine == ["ls", "-l", "--key", "x"])
            #expect(parsed.has("all") && !parsed.has("key"))
        }
        let parsed = try parse("work q -a -- ls -- -l")
        #expect(parsed.words == ["q"])
        #expect(parsed.commandLine == ["ls", "--", "-l"])
    }

    @Test(arguments: [
        ("", ArgumentError.noCommand),
        ("-q", .noCommand),
        ("lok 1", .unknownCommand("lok", nearest: "look")),
        ("xyzzy", .unknownCommand("xyzzy", nearest: nil)),
        ("look --kez 1", .unknownOption("--kez", nearest: "--key")),
        ("look --xyzzy 1", .unknownOption("--xyzzy", nearest: nil)),
        ("look -x 1", .unknownOption("-x", nearest: nil)),
        ("--kez look", .unknownOption("--kez", nearest: nil)),
        ("look 1 --key", .valueMissing(option: "key", value: "KEY")),
        ("look --all=yes 1", .valueNotTaken(option: "all")),
        (
            "look --mode=wide 1",
            .notAChoice(option: "mode", value: "wide", choices: ["short", "pretty"])
        ),
        ("look --key a --key b 1", .givenTwice(option: "key")),
        ("look", .wordMissing("ID")),
        ("look 1 2 3", .wordTooMany("3")),
        ("run", .commandLineMissing),
        ("run -a --", .commandLineMissing),
        ("work -- ls", .wordMissing("QUEUE")),
        ("work q", .commandLineMissing),
        ("work q r -- ls", .wordTooMany("r")),
    ])
    func refuses(line: String, error: ArgumentError) {
        #expect(throws: error) { try parse(line) }
    }

    @Test func helpNeedsNothingElse() throws {
        #expect(try parse("look --help").has("help"))
        #expect(try parse("--help").has("help"))
        #expect(try parse("-h run").has("help"))
    }

    @Test func errorsSayWhatWouldBeRight() {
        #expect(
            ArgumentError.unknownOption("--kez", nearest: "--key").description
                == "there is no option --kez; did you mean --key?")
        #expect(
            ArgumentError.notAChoice(option: "m", value: "x", choices: ["a", "b"]).description
                == "--m can't be \"x\"; it is one of a, b")
    }
}
