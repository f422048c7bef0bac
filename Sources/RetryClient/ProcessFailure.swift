import JSON
import SystemKit

/// Why an attempt of a command failed, and the failure document that says so.
public struct ProcessFailure: Hashable, Sendable {
    /// How much of standard error is kept: its end.
    public static let errorTailBytesMax = 4_096
    /// How much of the arguments is told: the payload has them all.
    private static let argumentBytesMax = 4_096

    /// How the process ended.
    public enum End: Hashable, Sendable {
        case exited(code: Int32)
        /// The signal's number.
        case killed(signal: Int32, coreDumped: Bool)
    }

    /// The kernel's refusal that kept the program from running.
    public struct Refusal: Hashable, Sendable {
        /// errno(3).
        public var code: Int32
        /// The call that failed, e.g. "execve".
        public var syscall: String

        public init(code: Int32, syscall: String) {
            self.code = code
            self.syscall = syscall
        }
    }

    /// What the owner requests whatever the rules make of the exit code: the document's member
    /// `retry_requested`, which rules of the first phase look at (config/rules.d/sdk.toml).
    public enum Requested: Hashable, Sendable {
        case now
        case whenForeground
    }

    /// The program whose exit codes count.
    public var program: String
    /// Without the program's name.
    public var arguments: [String]
    public var end: End
    /// The end of standard error, at most `errorTailBytesMax` bytes.
    public var errorTail: [UInt8]
    /// It was stopped because it took longer than it may.
    public var timedOut = false
    /// The kernel killed it because memory ran out.
    public var wasOutOfMemory = false
    /// It never ran; `end` then is what a shell would have made of it.
    public var refusal: Refusal?
    /// For people.
    public var message: String?
    /// Repeating the command is safe; nil: nobody said.
    public var isIdempotent: Bool?
    public var requested: Requested?

    public init(program: String, arguments: [String], end: End, errorTail: [UInt8]) {
        self.program = program
        self.arguments = arguments
        self.end = end
        self.errorTail = errorTail
    }

    /// The failure of an attempt of a command operation.
    public init(of command: CommandPayload, end: End, errorTail: [UInt8]) {
        self.init(
            program: command.program ?? command.arguments.first ?? "",
            arguments: Array(command.arguments.dropFirst()), end: end, errorTail: errorTail)
        if command.waitsForForeground {
            requested = .whenForeground
        } else if case .exited(let code) = end, command.retryOn.contains(code) {
            requested = .now
        }
    }

    public var json: RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", message)
        if let isIdempotent {
            writer.name("request")
            writer.beginObject()
            writer.member("idempotent", isIdempotent)
            writer.endObject()
        }
        writer.name("process")
        writer.beginObject()
        writer.member("program", program)
        writeArguments(into: &writer)
        switch end {
        case .exited(let code): writer.member("exit_code", Int64(code))
        case .killed(let signal, let coreDumped):
            writer.member("signal", ProcessSignal(rawValue: signal).name)
            if coreDumped { writer.member("core_dumped", true) }
        }
        if !errorTail.isEmpty {
            writer.member("stderr_tail", String(decoding: errorTail, as: UTF8.self))
        }
        if timedOut { writer.member("service_result", "timeout") }
        if wasOutOfMemory { writer.member("oom_kill", true) }
        writer.endObject()
        if let refusal { write(refusal, into: &writer) }
        switch requested {
        case nil: break
        case .now: writer.member("retry_requested", true)
        case .whenForeground: writer.member("retry_requested", "when-foreground")
        }
        writer.endObject()
        return RawJSON(writer.bytes)
    }

    private func write(_ refusal: Refusal, into writer: inout JSONWriter) {
        writer.name("errno")
        writer.beginObject()
        writer.member("name", SystemError.name(ofCode: refusal.code))
        writer.member("number", Int64(refusal.code))
        writer.member("platform", "linux")
        writer.member("syscall", refusal.syscall)
        writer.endObject()
    }

    private func writeArguments(into writer: inout JSONWriter) {
        var left = ProcessFailure.argumentBytesMax
        writer.name("args")
        writer.beginArray()
        for argument in arguments {
            left -= argument.utf8.count
            if left < 0 { break }
            writer.string(argument)
        }
        writer.endArray()
    }
}
