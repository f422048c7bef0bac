import JSON
package import RetryClient
import RetryModel
import SystemKit

/// The options that build a failure document (docs/PROTOCOL.md, "Failure document").
package enum FailureOptions {
    package static let definitions: [OptionDefinition] = [
        .value("exit-code", "NUMBER", "a program ended with it"),
        .value("signal", "NAME", "a program was killed by it: SIGSEGV, KILL, 9"),
        .value("program", "NAME", "the program whose exit code it is"),
        .value("stderr", "FILE", "what the program said; its end is kept (- is standard input)"),
        .value("http-status", "NUMBER", "a server answered with it"),
        .list("header", "'NAME: VALUE'", "a header of that answer; may be given several times"),
        .value("errno", "NAME", "a system call failed with it: ECONNREFUSED or a Linux number"),
        .value("message", "TEXT", "a sentence about it"),
        .value("error-json", "FILE", "a whole failure document (- is standard input)"),
    ]

    /// - Returns: nil where no option says anything about a failure.
    package static func failure(
        _ invocation: Invocation
    ) throws(CommandFailure) -> RawJSON? {
        let arguments = invocation.arguments
        if arguments.value("error-json") == "-", arguments.value("stderr") == "-" {
            throw CommandFailure("standard input can be read for one option only", .usage)
        }
        var blocks = Blocks()
        try blocks.addProcess(invocation)
        try blocks.addHTTP(invocation)
        try blocks.addErrno(arguments)
        blocks.addMessage(arguments)
        guard let path = arguments.value("error-json") else { return blocks.document }
        let text = try InputFile.read(path, bytesMax: Limits.failureBytesMax)
        let name = path == "-" ? "standard input" : path
        let given = try InputFile.jsonObject(
            text, named: name, depthMax: Limits.failureDepthMax)
        return try blocks.merged(with: given, named: name)
    }

    /// Members of the document in the making, each with its text.
    private struct Blocks {
        private var members: [(name: String, json: [UInt8])] = []

        var document: RawJSON? {
            members.isEmpty ? nil : write(besides: nil)
        }

        private mutating func add(_ name: String, _ write: (inout JSONWriter) -> Void) {
            var writer = JSONWriter()
            write(&writer)
            members.append((name, writer.bytes))
        }

        mutating func addProcess(_ invocation: Invocation) throws(CommandFailure) {
            let arguments = invocation.arguments
            let names = ["exit-code", "signal", "program", "stderr"]
            guard names.contains(where: arguments.has) else { return }
            if arguments.has("exit-code"), arguments.has("signal") {
                throw CommandFailure("--exit-code and --signal exclude each other", .usage)
            }
            let code = try invocation.integer("exit-code", in: 0...255)
            var signal: ProcessSignal?
            if let name = arguments.value("signal") {
                signal = ProcessSignal(name: name)
                if signal == nil {
                    throw CommandFailure("--signal \(name): there is no such signal", .usage)
                }
            }
            var said: String?
            if let path = arguments.value("stderr") { said = try FailureOptions.readTail(path) }
            add("process") { writer in
                writer.beginObject()
                if let program = arguments.value("program") {
                    writer.name("program")
                    writer.string(program)
                }
                if let code {
                    writer.name("exit_code")
                    writer.integer(code)
                }
                if let signal {
                    writer.name("signal")
                    writer.string(signal.name)
                }
                if let said {
                    writer.name("stderr_tail")
                    writer.string(said)
                }
                writer.endObject()
            }
        }

        mutating func addHTTP(_ invocation: Invocation) throws(CommandFailure) {
            let headers = try FailureOptions.headers(invocation.arguments.values("header"))
            guard let status = try invocation.integer("http-status", in: 100...599) else {
                if headers.isEmpty { return }
                throw CommandFailure("--header needs --http-status", .usage)
            }
            add("http") { writer in
                writer.beginObject()
                writer.name("status")
                writer.integer(status)
                if !headers.isEmpty {
                    writer.name("headers")
                    writer.beginObject()
                    for header in headers {
                        writer.name(header.name)
                        writer.string(header.value)
                    }
                    writer.endObject()
                }
                writer.endObject()
            }
        }

        mutating func addErrno(_ arguments: ParsedArguments) throws(CommandFailure) {
            guard let text = arguments.value("errno") else { return }
            let number = Int64(text)
            let isErrno =
                number.map { (1...4_095).contains($0) } ?? FailureOptions.isErrnoName(text)
            if !isErrno {
                throw CommandFailure(
                    "--errno \(text): a name as ECONNREFUSED or a number of Linux is needed",
                    .usage)
            }
            add("errno") { writer in
                writer.beginObject()
                if let number {
                    writer.name("number")
                    writer.integer(number)
                } else {
                    writer.name("name")
                    writer.string(text)
                }
                // Numbers differ between systems (Darwin's 35 is EAGAIN).
                writer.name("platform")
                writer.literal("linux")
                writer.endObject()
            }
        }

        mutating func addMessage(_ arguments: ParsedArguments) {
            guard let message = arguments.value("message") else { return }
            add("message") { $0.string(message) }
        }

        /// The given document with what the other options say. A member that both have is refused:
        /// one of the two would be lost.
        func merged(with given: RawJSON, named source: String) throws(CommandFailure) -> RawJSON {
            let parser = JSONParser(
                lengthMax: Limits.messageBytesMax, depthMax: Limits.messageDepthMax)
            // A value lives as long as its parser.
            defer { withExtendedLifetime(parser) {} }
            guard let value = try? parser.parse(given.bytes) else {
                preconditionFailure("it was parsed before")
            }
            if let present = value.members {
                for member in present {
                    let name = member.name.string
                    guard members.contains(where: { $0.name == name }) else { continue }
                    throw CommandFailure(
                        "\(source) has a member \"\(name)\" already; leave out the options that "
                            + "build one", .usage)
                }
            }
            return write(besides: value)
        }

        private func write(besides given: JSONValue?) -> RawJSON {
            var writer = JSONWriter()
            writer.beginObject()
            if let present = given?.members {
                for member in present {
                    writer.name(member.name)
                    writer.value(member.value)
                }
            }
            for member in members {
                writer.name(member.name)
                writer.raw(member.json)
            }
            writer.endObject()
            return RawJSON(writer.bytes)
        }
    }

    // MARK: Values

    /// The end of a program's standard error as text.
    private static func readTail(_ path: String) throws(CommandFailure) -> String {
        let said = try InputFile.read(path, bytesMax: 64 << 20)
        var tail = StreamTail(bytesMax: ProcessFailure.errorTailBytesMax)
        said.withUnsafeBytes { tail.append($0) }
        return String(decoding: tail.tail, as: UTF8.self)
    }

    /// Reads "Name: value". A name that comes again adds to the first, as in a list header
    /// (RFC 9110 section 5.3).
    static func headers(
        _ texts: [String]
    ) throws(CommandFailure) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for text in texts {
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else {
                throw CommandFailure("--header '\(text)': 'NAME: VALUE' is needed", .usage)
            }
            let name = String(text[..<colon])
            let value = text[text.index(after: colon)...].drop { $0 == " " }
            let known = headers.firstIndex { $0.name.lowercased() == name.lowercased() }
            if let known {
                headers[known].value += ", \(value)"
            } else {
                headers.append((name, String(value)))
            }
        }
        return headers
    }

    private static func isErrnoName(_ text: String) -> Bool {
        text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "E")
            && text.utf8.allSatisfy { $0 &- 0x41 < 26 || $0 &- 0x30 < 10 }
    }
}
