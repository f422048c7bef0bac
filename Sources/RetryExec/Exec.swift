import RetryClient
import RetryModel
import SystemKit

/// retryd-exec from start to end, read top to bottom.
package enum Exec {
    /// Runs until a signal ends it.
    ///
    /// - Returns: the exit code (docs/COMMANDS.md): 0 ended by SIGTERM or SIGINT, 64 wrong command
    ///   line, 69 no daemon, 73 runtime directory, 77 the socket keeps it out, 71 anything else of
    ///   the system.
    package static func run(arguments: [String]) -> Int32 {
        var options: ExecOptions
        do {
            options = try ExecOptions(arguments)
        } catch {
            return fail(64, error.message)
        }
        if options.showsHelp { return say(ExecOptions.help) }
        if options.showsVersion { return say("retryd-exec \(Version.current)\n") }

        do {
            try StandardStream.openMissing()
            try options.makePathsAbsolute(from: OwnProcess.workingDirectory())
            ProcessSignal.block([.terminate, .interrupt])
            ProcessSignal.ignorePipe()
            ProcessSignal.ignoreChildren()
            // Before a directory is made beside a socket that is not there.
            _ = try PolledConnection(path: options.socket)
            let runtime = try RuntimeDirectory(options.runtimeDirectory)
            return try Executor(options, runtime).run()
        } catch let error as ClientError {
            return fail(error.code == .socketForbidden ? 77 : 69, error.description)
        } catch let error as RuntimeDirectoryError {
            return fail(73, "\(error)")
        } catch {
            return fail(71, "\(error)")
        }
    }

    private static func say(_ text: String) -> Int32 {
        do {
            try StandardStream.output.write(text)
            return 0
        } catch {
            return fail(71, "\(error)")
        }
    }

    private static func fail(_ code: Int32, _ message: String) -> Int32 {
        Notice.error.say(message)
        return code
    }
}
