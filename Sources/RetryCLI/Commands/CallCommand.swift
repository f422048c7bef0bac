import JSON
import RetryClient
import RetryModel
import TOML
import Varlink

/// `retryctl call`
package enum CallCommand {
    package static let definition = CommandDefinition(
        "call", "call a method of the protocol",
        examples: [
            .init("retryctl call", "list the methods, as retryd describes them"),
            .init("retryctl call Get '{\"id\": 17}'", "a method of io.retryd"),
            .init("retryctl call --more Watch", "each answer as it comes"),
            .init("retryctl call org.varlink.service.GetInfo", "a method of another interface"),
        ],
        details: [
            "JSON is the object of parameters; \"-\" reads it from standard input. Answers are "
                + "printed indented, or as --json says. An error of retryd is printed as well, "
                + "with exit code 1."
        ],
        operands: .words("METHOD JSON", min: 0, max: 2),
        options: [
            .flag("more", "take several answers"),
            .flag("oneway", "take none"),
        ],
        run: run)

    private static let interface = "io.retryd"

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        // Nothing here is for people but the list of methods.
        guard let word = invocation.arguments.words.first else { return try list(invocation) }
        if invocation.console.jsonMode == .off { invocation.console.jsonMode = .pretty }
        let method = word.contains(".") ? word : "\(interface).\(word)"
        if invocation.arguments.has("more"), invocation.arguments.has("oneway") {
            throw CommandFailure("--more and --oneway exclude each other", .usage)
        }
        let parameters = try parameters(invocation)
        do {
            try call(method, parameters, invocation)
        } catch let error as ClientError {
            throw try explain(error, method, invocation)
        } catch {
            throw (error as? CommandFailure) ?? CommandFailure("\(error)", .failure)
        }
        return ExitCode.success.rawValue
    }

    private static func call(
        _ method: String, _ parameters: RawJSON?, _ invocation: Invocation
    ) throws {
        let client = invocation.client
        if invocation.arguments.has("oneway") {
            try client.sendOneway(named: method, parameters: parameters)
        } else if invocation.arguments.has("more") {
            let stream = try client.stream(named: method, parameters: parameters)
            while case .item(let answer) = try stream.next() {
                try write(answer, invocation)
                try invocation.console.flush()
            }
        } else {
            try write(client.call(named: method, parameters: parameters), invocation)
        }
    }

    private static func write(
        _ answer: JSONValue?, _ invocation: Invocation
    ) throws(CommandFailure) {
        if let answer {
            try invocation.console.writeJSON(answer)
        } else {
            try invocation.console.writeJSON(Array("{}".utf8))
        }
    }

    private static func parameters(_ invocation: Invocation) throws(CommandFailure) -> RawJSON? {
        guard invocation.arguments.words.count > 1 else { return nil }
        let word = invocation.arguments.words[1]
        let text =
            word == "-"
            ? try InputFile.read("-", bytesMax: Limits.messageBytesMax) : Array(word.utf8)
        return try InputFile.jsonObject(text, named: word == "-" ? "standard input" : "JSON")
    }

    /// The daemon's error as it is, and for a misspelt method what was meant.
    private static func explain(
        _ error: ClientError, _ method: String, _ invocation: Invocation
    ) throws(CommandFailure) -> CommandFailure {
        var failure = CommandFailure(error)
        // What the daemon told is printed whole, so that nothing is lost on a program.
        if error.code.isOfDaemon {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("error")
            writer.string(error.code.rawValue)
            writer.name("parameters")
            writer.raw(error.parameters?.bytes ?? Array("{}".utf8))
            writer.endObject()
            try invocation.console.writeJSON(writer.bytes)
            failure.code = .failure
        }
        if error.code == .methodNotFound, let definition = try? definition(invocation) {
            // Without what all of them begin with: it would make everything near.
            let word = method.hasPrefix("\(interface).")
                ? String(method.dropFirst(interface.count + 1)) : method
            if let nearest = NearestName.find(word, in: definition.methods.map(\.name)) {
                failure.message += "; did you mean \(interface).\(nearest)?"
            }
        }
        return failure
    }

    // MARK: The list of methods

    private static func list(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let console = invocation.console
        for method in try definition(invocation).methods {
            for line in method.documentation.split(separator: "\n") {
                try console.writeLine(
                    console.coloured("# \(TerminalText.escape(String(line)))", .faint))
            }
            try console.writeLine(TerminalText.escape(method.description))
        }
        return ExitCode.success.rawValue
    }

    private static func definition(
        _ invocation: Invocation
    ) throws(CommandFailure) -> InterfaceDefinition {
        try invocation.ask { client in
            let text = try client.interfaceDescription(interface)
            do throws(InterfaceError) {
                return try InterfaceDefinition(parsing: text)
            } catch {
                throw CommandFailure(
                    "retryd's description of \(interface) is not understood: \(error)",
                    .protocolError)
            }
        }
    }
}
