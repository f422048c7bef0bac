import RetryClient
import RetryModel
import SystemKit

/// What the command line asks for.
struct ExecOptions: Equatable {
    var socket = SocketPath.system
    /// Nil: `runtimeDefault`.
    var runtime: String?
    /// Commands at a time.
    var max = Swift.max(2, Processors.count)
    var queue = "command"
    /// From SIGTERM to SIGKILL for a command that is stopped.
    var killAfterS = 10
    /// Units are started as well.
    var startsUnits = false
    var showsHelp = false
    var showsVersion = false

    static let help = """
        retryd-exec: runs the commands that wait in retryd, each as the user it is of.

        Usage: retryd-exec [--socket PATH] [--max N] [--runtime DIR]

          --socket PATH    where retryd listens (default \(SocketPath.system))
          --user           work for your own retryd: its socket and $XDG_RUNTIME_DIR/retryd-exec
          --max N          commands at a time (default: one per processor, at least 2)
          --runtime DIR    where it keeps account of what runs, so that commands survive its
                           restart (default \(systemRuntime), or PATH.exec beside a
                           socket that was given)
          --queue NAME     what it leases (default command)
          --kill-after S   seconds from SIGTERM to SIGKILL for a command that is stopped, because
                           it takes too long or was cancelled (default 10)
          --units          starts the units that wait as well: those of the host as root, else
                           of the user
          --help, --version

        It stays in the foreground. SIGTERM ends it at once and leaves the commands alone; the
        next one takes them over.

        """

    static let systemRuntime = "/run/retryd-exec"
    /// Each is a descriptor here, and a process has 1,024 of them by default (systemd.exec(5),
    /// LimitNOFILE=).
    private static let maxMax = 800

    /// - Throws: the sentence to show.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments.dropFirst()
        if rest.contains("--user") { try useUserDirectories() }
        while let argument = rest.popFirst() {
            let (name, given) = ExecOptions.split(argument)
            func value() throws(UsageError) -> String {
                if let given { return given }
                guard let next = rest.popFirst() else {
                    throw UsageError("\(name) needs a value; see retryd-exec --help")
                }
                return next
            }
            switch name {
            case "--socket": socket = try value()
            case "--runtime": runtime = try value()
            case "--queue": queue = try value()
            case "--max":
                max = try ExecOptions.number(value(), of: name, 1...ExecOptions.maxMax)
            case "--kill-after": killAfterS = try ExecOptions.number(value(), of: name, 0...86_400)
            case "--user": break
            case "--units": startsUnits = true
            case "--help", "-h": showsHelp = true
            case "--version": showsVersion = true
            default: throw UsageError("unknown argument \(argument); see retryd-exec --help")
            }
        }
        guard (1...Limits.nameBytesMax).contains(queue.utf8.count) else {
            throw UsageError("--queue takes a name of 1 to \(Limits.nameBytesMax) bytes")
        }
    }

    /// A private instance keeps its account beside its socket, so that several of them and the
    /// host's do not meet.
    var runtimeDirectory: String {
        runtime ?? (socket == SocketPath.system ? ExecOptions.systemRuntime : "\(socket).exec")
    }

    private mutating func useUserDirectories() throws(UsageError) {
        guard let directory = Environment.value("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else {
            throw UsageError("--user needs XDG_RUNTIME_DIR to be set; log in")
        }
        socket = "\(directory)/retryd/io.retryd"
        runtime = "\(directory)/retryd-exec"
    }

    /// Makes paths count from the root, because commands, which are told the socket, and runners
    /// have other working directories.
    ///
    /// - Parameter directory: of this process.
    mutating func makePathsAbsolute(
        from directory: @autoclosure () throws(SystemError) -> String
    ) throws(SystemError) {
        if !socket.hasPrefix("/") { socket = "\(try directory())/\(socket)" }
        guard let runtime, !runtime.hasPrefix("/") else { return }
        self.runtime = "\(try directory())/\(runtime)"
    }

    private static func number(
        _ text: String, of name: String, _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), "
                    + "not \"\(text)\"")
        }
        return number
    }

    /// `--name=value` in its parts.
    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else {
            return (argument, nil)
        }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }
}

/// A wrong command line; the message is for whoever wrote it.
struct UsageError: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}
