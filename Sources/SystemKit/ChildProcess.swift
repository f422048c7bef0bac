import Glibc

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable {
    case exited(code: Int32)
    case killed(ProcessSignal, coreDumped: Bool)
}

/// A program started by this process, in the same process group: what the terminal sends to one
/// (Ctrl-C, Ctrl-Z) it sends to both.
///
/// Who starts one waits for it, with `wait` or by `hasEnded`, or it stays a zombie.
package struct ChildProcess: ~Copyable {
    package let id: Int32
    /// A pidfd: readable when the program has ended.
    private let process: OwnedFD

    /// What a program gets as a standard stream.
    package enum Stream: Sendable {
        /// The one of this process.
        case inherited
        /// /dev/null.
        case null
        case descriptor(Int32)
    }

    /// Starts a program. Signals are unblocked in it and SIGPIPE has its usual effect again.
    ///
    /// - Parameters:
    ///   - arguments: the program's name, looked for in PATH, and its arguments.
    ///   - variables: what its environment has on top of this process's own, which nothing
    ///     changes; nil: it does not have that variable.
    /// - Throws: why the program can't be run: ENOENT, EACCES, ENOEXEC and others of execve(2).
    package static func start(
        _ arguments: [String], variables: [(name: String, value: String?)] = [],
        input: Stream = .inherited, output: Stream = .inherited, error: Stream = .inherited
    ) throws(SystemError) -> ChildProcess {
        precondition(!arguments.isEmpty, "a program has a name")
        let name = arguments[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, number) in [(input, 0), (output, 1), (error, 2)] as [(Stream, Int32)] {
            switch stream {
            case .inherited: break
            case .null:
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .descriptor(let descriptor):
                // Also where both are the same: it clears close-on-exec (posix_spawn(3)).
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

        var id: pid_t = 0
        let code = withCStrings(arguments, besides: []) { arguments in
            let set = variables.compactMap { variable in
                variable.value.map { "\(variable.name)=\($0)" }
            }
            return withCStrings(set, besides: inherited(without: variables.map(\.name))) {
                posix_spawnp(&id, name, &actions, &attributes, arguments, $0)
            }
        }
        if code != 0 { throw SystemError(code: code, operation: "run \(name)") }
        guard let process = try ProcessIdentity.open(id) else {
            preconditionFailure("a child exists until it is waited for")
        }
        return ChildProcess(id: id, process: process)
    }

    private init(id: Int32, process: consuming OwnedFD) {
        self.id = id
        self.process = process
    }

    /// Readable when the program has ended, for callers that wait for several things at once.
    package var fileDescriptor: Int32 { process.rawValue }

    /// Sends a signal. Nothing happens when the program has ended.
    package func send(_ signal: ProcessSignal) {
        // Until it is waited for the number can't be another's.
        kill(id, signal.rawValue)
    }

    /// Waits for the end. Once.
    package consuming func wait() -> ProcessEnd {
        var status: Int32 = 0
        let (result, code) = Syscalls.uninterrupted { waitpid(id, &status, 0) }
        precondition(result == id, "waitpid \(id): \(SystemError.reason(code))")
        // The macros of waitpid(2).
        let signal = status & 0x7F
        if signal == 0 { return .exited(code: status >> 8 & 0xFF) }
        return .killed(ProcessSignal(rawValue: signal), coreDumped: status & 0x80 != 0)
    }
}

/// The entries of this process's environment but those of some names. They need not be UTF-8.
private func inherited(without names: [String]) -> [UnsafeMutablePointer<CChar>] {
    var entries: [UnsafeMutablePointer<CChar>] = []
    var position = environ
    while let entry = position.pointee {
        position += 1
        let isLeftOut = names.contains { name in
            strncmp(entry, name, name.utf8.count) == 0
                && entry[name.utf8.count] == CChar(UInt8(ascii: "="))
        }
        if !isLeftOut { entries.append(entry) }
    }
    return entries
}

/// A nil-terminated array of C strings, valid for the call.
///
/// - Parameter others: strings that are C strings already.
func withCStrings<Result>(
    _ strings: [String], besides others: [UnsafeMutablePointer<CChar>] = [],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies + others + [nil]
    return pointers.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("it has its nil") }
        return body(base)
    }
}
