import SystemKit

/// Where retryd-exec keeps account of the attempts under way, so that the one started after it can
/// go on with them. Each has a state file of retryd-exec's and, later, a mark of the command and a
/// result, both of the runner's.
///
/// It belongs to one retryd-exec at a time, the one that holds the lock in it.
struct RuntimeDirectory: ~Copyable {
    let path: String
    private let lock: LockFile

    private static let stateSuffix = ".run"
    private static let lockName = "lock"
    private static let stateBytesMax = 1 << 20

    /// Takes the directory; makes it if it is not there.
    init(_ path: String) throws(RuntimeDirectoryError) {
        let status: FileStatus?
        do throws(SystemError) {
            try Files.makeDirectory(path, mode: 0o700)
            status = try Files.status(path, followLinks: false)
        } catch {
            throw .unusable(path, error)
        }
        // Who can write into it decides which processes are taken for runners.
        guard let status, status.kind == .directory, status.mode & 0o022 == 0,
            status.user == Credentials.effectiveUser
        else { throw .unsafe(path) }
        do throws(LockFileError) {
            lock = try LockFile(path: "\(path)/\(RuntimeDirectory.lockName)")
        } catch {
            switch error {
            case .held(_, let process): throw .taken(path, process: process)
            case .system(let error): throw .unusable(path, error)
            }
        }
        self.path = path
    }

    /// The files of an attempt.
    func files(id: Int64, token: Int64) -> CommandRunner.Files {
        let name = "\(path)/\(id).\(token)"
        return CommandRunner.Files(
            state: name + RuntimeDirectory.stateSuffix, command: name + ".command",
            result: name + ".result")
    }

    // MARK: Attempts

    func save(_ state: AttemptState) throws(SystemError) {
        let files = files(id: state.id, token: state.token)
        try Files.writeAtomically(files.state, state.json, mode: 0o600)
    }

    /// How an attempt ended; nil: it has not, or its runner could not say.
    func result(of files: CommandRunner.Files) -> RunnerResult? {
        guard
            let content = try? Files.readAll(files.result, bytesMax: RunnerResult.bytesMax)
        else { return nil }
        return RunnerResult(parsing: content)
    }

    /// The command of an attempt, which leads its own process group.
    func command(of files: CommandRunner.Files) -> ProcessIdentity? {
        guard let content = try? Files.readAll(files.command, bytesMax: 64) else { return nil }
        let numbers = content.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.map {
            String(decoding: $0, as: UTF8.self)
        }
        guard numbers.count == 2, let process = Int32(numbers[0]), let ticks = UInt64(numbers[1])
        else { return nil }
        return ProcessIdentity(process: process, startTicks: ticks)
    }

    func remove(_ files: CommandRunner.Files) throws(SystemError) {
        try Files.remove(files.result)
        try Files.remove(files.command)
        // Last: without it nobody would look for the others.
        try Files.remove(files.state)
    }

    /// The attempts that the one before left, and the removal of what belongs to none.
    func leftAttempts() throws(SystemError) -> [AttemptState] {
        var attempts: [AttemptState] = []
        var expected: Set = [RuntimeDirectory.lockName]
        let names = try Files.list(path)
        for name in names where name.hasSuffix(RuntimeDirectory.stateSuffix) {
            let content = try Files.readAll(
                "\(path)/\(name)", bytesMax: RuntimeDirectory.stateBytesMax)
            guard let state = AttemptState(parsing: content) else {
                Notice.warning.say("\(path)/\(name) is not readable and was removed")
                continue
            }
            attempts.append(state)
            let files = files(id: state.id, token: state.token)
            for file in [files.state, files.command, files.result] {
                expected.insert(String(file.dropFirst(path.count + 1)))
            }
        }
        for name in names where !expected.contains(name) { try Files.remove("\(path)/\(name)") }
        return attempts
    }
}

/// Why retryd-exec cannot keep account of what it runs.
enum RuntimeDirectoryError: Error, CustomStringConvertible {
    case unusable(String, SystemError)
    /// It is not this user's own, or others may write into it.
    case unsafe(String)
    case taken(String, process: Int32?)

    var description: String {
        switch self {
        case .unusable(let path, let error):
            "runtime directory \(path): \(error.reason); name another one with --runtime"
        case .unsafe(let path):
            "runtime directory \(path): it must be a directory of this user's own that nobody "
                + "else may write into; correct that or name another one with --runtime"
        case .taken(let path, let process?):
            "runtime directory \(path): process \(process) uses it; stop that retryd-exec or name "
                + "another directory with --runtime"
        case .taken(let path, nil):
            "runtime directory \(path): another retryd-exec uses it; stop that or name another "
                + "directory with --runtime"
        }
    }
}
