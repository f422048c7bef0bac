import RetryConfig
import SystemKit

/// What the command line asks for.
struct DaemonOptions: Equatable {
    var state = "/var/lib/retryd"
    var socket = "/run/retryd/io.retryd"
    /// Nil: the host's directories.
    var config: String?
    /// The unit's `%b`; nil: the kernel's file is read.
    var bootID: String?
    /// The directories of a user's own daemon count, where none is given.
    var isUsers = false
    var showsHelp = false
    var showsVersion = false

    static let help = """
        retryd: hands failed operations on to be tried again.

        Usage: retryd [--user] [--state DIR] [--socket PATH] [--config DIR]

          --state DIR    where operations are kept (default /var/lib/retryd)
          --socket PATH  where clients connect (default /run/retryd/io.retryd);
                         a socket passed by systemd is served in its place
          --config DIR   retryd.toml and rules.d of this directory, before those that
                         came with the program (default: /etc/retryd and below)
          --user         your own daemon: keeps its operations in
                         $XDG_STATE_HOME/retryd (~/.local/state/retryd), looks into
                         $XDG_CONFIG_HOME/retryd (~/.config/retryd) first, and listens
                         on $XDG_RUNTIME_DIR/retryd/io.retryd
          --boot-id ID   this boot, where /proc does not tell (the unit passes %b)
          --help, --version

        It stays in the foreground. SIGTERM ends it, SIGHUP reads the configuration
        again, SIGUSR1 means that every scope is in the foreground for a minute.

        Try it: mkdir /tmp/r && retryd --state /tmp/r --socket /tmp/r/socket

        """

    private var configurationHome: String?

    /// - Throws: The sentence to show.
    init(
        _ arguments: [String], environment: (String) -> String? = { Environment.value($0) }
    ) throws(UsageError) {
        var rest = arguments.dropFirst()
        if rest.contains("--user") { try useUserDirectories(environment) }
        while let argument = rest.popFirst() {
            let (name, given) = Self.split(argument)
            func value() throws(UsageError) -> String {
                if let given { return given }
                guard let next = rest.popFirst() else {
                    throw UsageError("\(name) needs a value; see retryd --help")
                }
                return next
            }
            switch name {
            case "--state": state = try value()
            case "--socket": socket = try value()
            case "--config": config = try value()
            case "--boot-id": bootID = try value()
            case "--user": break
            case "--help", "-h": showsHelp = true
            case "--version": showsVersion = true
            default: throw UsageError("unknown argument \(argument); see retryd --help")
            }
        }
    }

    /// `--name=value` in its parts.
    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }

    /// The XDG Base Directory Specification's.
    private mutating func useUserDirectories(
        _ environment: (String) -> String?
    ) throws(UsageError) {
        func directory(_ variable: String, below home: String?) throws(UsageError) -> String {
            // One that is not absolute counts for nothing, as the specification says.
            if let set = environment(variable), set.hasPrefix("/") { return set }
            guard let home, let base = environment("HOME"), base.hasPrefix("/") else {
                let variables = home == nil ? variable : "\(variable) or HOME"
                throw UsageError("--user needs \(variables) to be set")
            }
            return "\(base)/\(home)"
        }
        isUsers = true
        state = try directory("XDG_STATE_HOME", below: ".local/state") + "/retryd"
        configurationHome = try directory("XDG_CONFIG_HOME", below: ".config")
        socket = try directory("XDG_RUNTIME_DIR", below: nil) + "/retryd/io.retryd"
    }

    var searchPath: SearchPath {
        let shipped = SearchPath.shippedDirectory
        if let config { return .only(config, shipped: shipped) }
        if let configurationHome {
            return .user(configurationHome: configurationHome, shipped: shipped)
        }
        return .system(shipped: shipped)
    }
}

struct UsageError: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
