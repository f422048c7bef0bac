import RetryCLI
import Testing

@Suite struct HelpTests {
    @Test func theProgramsPage() {
        let tool = Tool(["--help"])
        #expect(tool.code == 0)
        #expect(
            tool.output.hasPrefix(
                """
                retryctl: hands failed operations to retryd and tells what becomes of them

                Examples:
                  $ retryctl run -- rsync -a /srv/ backup:/srv/
                      try now; if it fails, again later
                  $ retryctl list
                      what waits, and until when
                  $ retryctl why 17
                      why operation 17 does not run

                Usage: retryctl [OPTION…] COMMAND …

                Commands:
                  run          run a command now; if it fails, have it tried again
                  submit       hand over an operation that failed
                  work         run a command for each operation of a queue
                  list         list operations
                  show         show all about an operation
                  why          say why an operation does not run
                  explain      say what a failure means, why, and what would follow
                  log          tell the attempts of an operation
                  cancel       end operations
                  retry        try operations again now
                  recover      say what a person can do about an operation, and do it
                  resolve      bring what a parked operation lacked
                  foreground   tell that a user or program came to the front
                  signals      list the signals and who waits for them
                  signal       set a signal on or off
                  status       tell how retryd is
                  watch        tell what happens, as it happens
                  rules        list, show, test and check the rules
                  metrics      print counters and histograms for Prometheus
                  reload       let retryd read its rules and configuration again
                  log-level    tell or set which journal entries are written
                  unit-failed  hand over a systemd unit that failed (OnFailure=)
                  call         call a method of the protocol

                Options of every command:
                  --user                    talk to your own retryd

                """))
    }

    @Test func theExitCodesAreFixed() {
        let expected: [ExitCode: Int32] = [
            .success: 0, .failure: 1, .usage: 64, .badInput: 65, .notFound: 66, .unavailable: 69,
            .protocolError: 70, .inputOutput: 74, .temporary: 75, .notPermitted: 77,
            .commandNotRunnable: 126, .commandNotFound: 127, .interrupted: 130,
        ]
        for code in ExitCode.allCases { #expect(expected[code] == code.rawValue) }
        let page = Help.program(CommandTable.commands)
        for code in ExitCode.allCases {
            #expect(page.contains("\n  \(code.rawValue) "), "\(code)")
        }
    }

    @Test func aCommandsPage() {
        #expect(
            Tool(["why", "--help"]).output == """
                retryctl why: say why an operation does not run

                Examples:
                  $ retryctl why 17
                      the reason, when it can change, and what would change it
                  $ retryctl why 17 --json=short
                      the same for programs

                Usage: retryctl why ID

                "retryctl --help" lists the options and exit codes of every command.

                """)
    }

    @Test(arguments: CommandTable.commands.map(\.name))
    func everyPageHasExamplesAndFitsATerminal(name: String) {
        let tool = Tool([name, "--help"])
        #expect(tool.code == 0)
        let lines = tool.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[2] == "Examples:")
        #expect(lines[3].hasPrefix("  $ "))
        for line in lines where !line.hasPrefix("  $ ") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test func everyOptionIsExplained() {
        for command in CommandTable.commands {
            for option in command.options {
                #expect(option.help.count > 3, "\(command.name) --\(option.name)")
            }
            let names = (command.options + GlobalOptions.definitions).map(\.name)
            #expect(Set(names).count == names.count, "\(command.name) has an option twice")
        }
    }

    @Test func versionAndMistakes() {
        #expect(Tool(["--version"]).output == "retryctl 1.0\n")
        let tool = Tool(["lst"])
        #expect(tool.code == 64)
        #expect(tool.output == "")
        #expect(
            tool.messages
                == "retryctl: there is no command \"lst\"; did you mean list?\n"
                + "retryctl: try \"retryctl --help\"\n")
        #expect(Tool(["list", "--limt", "3"]).messages.contains("did you mean --limit?"))
        #expect(Tool(["why", "x"]).code == 64)
    }
}
