package import RetryClient
import SystemKit

/// The options that describe an operation to hand over.
package enum OperationOptions {
    package static let definitions: [OptionDefinition] = [
        .value("key", "KEY", "one operation for this key: a second one joins it"),
        .choice(
            "key-mode", OperationDraft.KeyMode.allCases.map(\.rawValue),
            "what a second one does: keep the first (default), replace it, or join it"),
        .value("policy", "NAME", "back off and give up by this policy"),
        .value("scope", "SCOPE", "whose foreground it may wait for: user:UID or app:NAME"),
        .value("priority", "NUMBER", "-100 to 100, higher runs first"),
        .value("deadline", "TIME", "a failure after it is the last: 2h from now, or @SECONDS"),
        .value("destination", "NAME", "the remote party: shares its budget with others"),
        .value("credential", "NAME", "the sign-in it uses, e.g. oauth:alice@example.com"),
        .list("tag", "TAG", "a word to find it by; may be given several times"),
        .flag("not-idempotent", "repeating it is not safe when nobody knows how it ended"),
    ]

    /// Reads them into a draft.
    package static func read(
        into draft: inout OperationDraft, _ invocation: Invocation
    ) throws(CommandFailure) {
        let arguments = invocation.arguments
        draft.key = arguments.value("key")
        draft.keyMode = arguments.value("key-mode").flatMap(OperationDraft.KeyMode.init)
        draft.policy = arguments.value("policy")
        draft.scope = arguments.value("scope")
        draft.priority = try invocation.integer("priority", in: -100...100)
        draft.destination = arguments.value("destination")
        draft.credential = arguments.value("credential")
        draft.tags = arguments.values("tag")
        if arguments.has("not-idempotent") { draft.isIdempotent = false }
        if let text = arguments.value("deadline") {
            let moment = TimeText.parseMomentUsec(text, nowUsec: invocation.nowUsec)
            guard let moment else {
                throw CommandFailure(
                    "--deadline \(text): a time from now is needed (2h, 1d 12h) or @SECONDS since "
                        + "1970", .usage)
            }
            draft.deadlineUsec = moment
        }
    }
}

/// The options that describe a command to be run again later.
package enum CommandOptions {
    package static let definitions: [OptionDefinition] = [
        .value("timeout", "TIME", "an attempt that takes longer is stopped"),
        .list("env", "NAME", "keep this variable too, besides \(variables.joined(separator: " "))"),
        .value("program", "NAME", "whose exit codes count, where the command is a wrapper of it"),
        .list("retry-on", "CODES", "exit codes that are retried whatever the rules say: 1,7,20-23"),
        .flag("when-foreground", "every failure waits for its user to be at the screen"),
    ]

    /// What a program needs of the environment to find its way; the rest may hold secrets.
    package static let variables = [
        "PATH", "HOME", "LANG", "LC_*", "TZ", "USER", "LOGNAME", "SHELL",
    ]

    /// Describes the command as it would run now.
    package static func command(
        _ invocation: Invocation
    ) throws(CommandFailure) -> CommandPayload {
        let arguments = invocation.arguments
        var command = CommandPayload(arguments.commandLine)
        do throws(SystemError) {
            command.workingDirectory = try OwnProcess.workingDirectory()
        } catch {
            throw CommandFailure(
                "\(error); nothing was run, change into another directory", .usage)
        }
        command.umask = OwnProcess.fileCreationMask()
        command.environment = try environment(arguments.values("env"), Environment.all)
        command.timeoutMs = try invocation.spanMs("timeout")
        command.program = arguments.value("program")
        for value in arguments.values("retry-on") { command.retryOn += try exitCodes(value) }
        command.waitsForForeground = arguments.has("when-foreground")
        return command
    }

    static func environment(
        _ asked: [String], _ all: [String?]
    ) throws(CommandFailure) -> [CommandPayload.Variable] {
        var kept: [CommandPayload.Variable] = []
        for case .some(let entry) in all {
            guard let sign = entry.firstIndex(of: "="), sign != entry.startIndex else { continue }
            let name = String(entry[..<sign])
            let isKept = name.hasPrefix("LC_") || variables.contains(name) || asked.contains(name)
            if !isKept { continue }
            let value = String(entry[entry.index(after: sign)...])
            kept.append(CommandPayload.Variable(name: name, value: value))
        }
        for name in asked where !kept.contains(where: { $0.name == name }) {
            throw CommandFailure("--env \(name): it is not set, or its value is not UTF-8", .usage)
        }
        return kept
    }

    /// Reads "1,7,20-23".
    static func exitCodes(_ text: String) throws(CommandFailure) -> [Int32] {
        var codes: [Int32] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .map { Int32($0) }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1],
                first >= 1, last <= 255, first <= last
            else {
                throw CommandFailure(
                    "--retry-on \(text): exit codes from 1 to 255 are needed, e.g. 1,7,20-23",
                    .usage)
            }
            codes += first...last
        }
        return codes
    }
}
