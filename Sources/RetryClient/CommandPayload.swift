import JSON

/// What an operation of kind `command` carries: all that is needed to run the command again as it
/// was run first.
///
/// On the wire a JSON object with the members `argv` (array of strings), `cwd` (absolute path),
/// `umask` (number), `env` (object of strings), `stdin_base64`, `timeout_ms`, `program`, `retry_on`
/// (array of exit codes), `when_foreground` (bool). All but `argv` may be absent.
public struct CommandPayload: Hashable, Sendable {
    /// A variable of the environment.
    public struct Variable: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The program, looked for in PATH, and its arguments. Never a shell string.
    public var arguments: [String]
    public var workingDirectory: String?
    /// File mode bits that new files do not get.
    public var umask: UInt32?
    /// Set on top of the environment the command is run in.
    public var environment: [Variable] = []
    /// Standard input; nil: /dev/null.
    public var input: [UInt8]?
    /// An attempt that takes longer is stopped.
    public var timeoutMs: Int64?
    /// The program whose exit codes count, where `arguments[0]` is a wrapper.
    public var program: String?
    /// Exit codes that are retried whatever the rules make of them.
    public var retryOn: [Int32] = []
    /// Every failure waits for the foreground.
    public var waitsForForeground = false

    public init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Arguments and environment that the daemon takes together.
    public static let wordsBytesMax = 128 * 1024

    /// What arguments and environment take as C strings.
    public var wordsBytes: Int {
        arguments.reduce(0) { $0 + $1.utf8.count + 1 }
            + environment.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }
    }

    public var json: RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("argv")
        writer.beginArray()
        for argument in arguments { writer.string(argument) }
        writer.endArray()
        writer.member("cwd", workingDirectory)
        writer.member("umask", umask.map { Int64($0) })
        if !environment.isEmpty {
            writer.name("env")
            writer.beginObject()
            for variable in environment {
                writer.name(variable.name)
                writer.string(variable.value)
            }
            writer.endObject()
        }
        if let input {
            writer.name("stdin_base64")
            writer.base64(input)
        }
        writer.member("timeout_ms", timeoutMs)
        writer.member("program", program)
        if !retryOn.isEmpty {
            writer.name("retry_on")
            writer.beginArray()
            for code in retryOn { writer.integer(Int64(code)) }
            writer.endArray()
        }
        if waitsForForeground { writer.member("when_foreground", true) }
        writer.endObject()
        return RawJSON(writer.bytes)
    }
}
