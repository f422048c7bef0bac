import RetryModel
import SystemKit

/// `retryctl` from its arguments to its exit code.
package enum CommandLineTool {
    /// Runs with the arguments of this process, on its standard streams.
    package static func main() -> Int32 {
        do throws(SystemError) {
            try StandardStream.openMissing()
        } catch {
            // Nobody can be told: there is no standard error.
            return ExitCode.inputOutput.rawValue
        }
        let console = Console()
        var arguments: [String] = []
        for (index, argument) in OwnProcess.arguments.enumerated() {
            guard let argument else {
                return refuse(.notText(number: index + 1), nil, console)
            }
            arguments.append(argument)
        }
        return run(arguments, console: console)
    }

    /// - Returns: the exit code.
    package static func run(_ arguments: [String], console: Console) -> Int32 {
        let parsed: ArgumentParser.Result
        do throws(ArgumentError) {
            parsed = try ArgumentParser.parse(
                arguments, global: GlobalOptions.definitions, commands: CommandTable.commands)
        } catch {
            return refuse(
                error,
                arguments.first { name in
                    CommandTable.commands.contains { $0.name == name }
                }, console)
        }
        do throws(CommandFailure) {
            let code = try perform(parsed, console)
            try console.flush()
            return code
        } catch {
            _ = try? console.flush()
            console.complain(error.message)
            return error.code.rawValue
        }
    }

    private static func perform(
        _ parsed: ArgumentParser.Result, _ console: Console
    ) throws(CommandFailure) -> Int32 {
        if parsed.arguments.has("version") {
            try console.writeLine("retryctl \(Version.current)")
            return ExitCode.success.rawValue
        }
        guard let command = parsed.command, !parsed.arguments.has("help") else {
            let page = parsed.command.map(Help.command) ?? Help.program(CommandTable.commands)
            try console.writeLine(page)
            return ExitCode.success.rawValue
        }
        return try command.run(Invocation(parsed.arguments, console: console))
    }

    private static func refuse(
        _ error: ArgumentError, _ command: String?, _ console: Console
    ) -> Int32 {
        console.complain(error.description)
        console.complain("try \"retryctl \(command.map { "\($0) " } ?? "")--help\"")
        return ExitCode.usage.rawValue
    }
}
