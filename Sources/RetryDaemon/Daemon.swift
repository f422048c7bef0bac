import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// The daemon from start to end, read top to bottom.
package enum Daemon {
    /// Runs until a signal ends it.
    ///
    /// - Returns: The exit code (docs/OPERATIONS.md): 0 ended in good order, 64 wrong command line,
    ///   73 socket, 74 store, 78 configuration, 71 anything else of the system.
    package static func run(arguments: [String]) -> Int32 {
        let options: DaemonOptions
        do {
            options = try DaemonOptions(arguments)
        } catch {
            return fail(64, error.message)
        }
        if options.showsHelp { return say(DaemonOptions.help) }
        if options.showsVersion { return say("retryd \(Version.current)\n") }

        // Before any thread exists: they inherit what is blocked.
        ProcessSignal.block([.terminate, .interrupt, .hangUp, .user1])
        ProcessSignal.ignorePipe()
        Memory.useFewArenas()
        let passed: [ListenFD]
        do {
            passed = try ListenFD.takeAll()
        } catch {
            return fail(73, "\(error); see LISTEN_FDS in the environment")
        }

        let settings: Settings
        do {
            settings = try Settings(options.searchPath)
        } catch {
            return fail(78, "configuration refused: \(error)")
        }
        let store: Store
        do {
            // The host's directory is made by systemd, with the rights the unit says.
            if options.isUsers { try Files.makeDirectories(options.state, mode: 0o700) }
            _ = try? ServiceNotify.extendTimeout(
                usec: StartProgress.openingUsec, status: StartProgress.opening(options.state))
            store = try Store(directory: options.state)
        } catch {
            return fail(74, "\(error)")
        }
        do {
            let server = try Server(options, passed: passed, settings, store)
            return try server.run()
        } catch let error as UnixSocketError {
            return fail(73, "\(error)")
        } catch let error as StoreError {
            return fail(74, "\(error)")
        } catch {
            return fail(71, "\(error)")
        }
    }

    private static func say(_ text: String) -> Int32 {
        do {
            try StandardStream.output.write(text)
            return 0
        } catch {
            return 71
        }
    }

    /// Tells systemd and standard error, whichever listens.
    private static func fail(_ code: Int32, _ message: String) -> Int32 {
        _ = try? ServiceNotify.failed(code: 0, status: message)
        let prefix = Terminal.isTerminal(2) ? "" : "<3>"
        try? StandardStream.error.write("\(prefix)retryd: \(message)\n")
        return code
    }
}
