import JSON
import RetryClient

/// `retryctl pause`
package enum PauseCommand {
    package static let definition = CommandDefinition(
        "pause", "stop handing operations out, or list what is paused",
        examples: [
            .init("retryctl pause --destination api.example --for 2h --reason 'maintenance'", ""),
            .init("retryctl pause --queue mail", "until \"retryctl resume --queue mail\""),
            .init("retryctl pause", "what is paused, by whom and why"),
        ],
        details: [
            "What runs goes on; operations are taken in and wait. Several options mean what fits "
                + "all of them. A second pause of the same by you takes the place of your first."
        ],
        options: PauseTargetOptions.definitions + [
            .value("reason", "TEXT", "why, for whoever asks"),
            .value("for", "TIME", "ends by itself after that, e.g. 2h"),
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        guard let target = try PauseTargetOptions.target(invocation.arguments) else {
            if invocation.arguments.has("reason") || invocation.arguments.has("for") {
                throw PauseTargetOptions.missing
            }
            return try list(invocation)
        }
        let ttlMs = try invocation.spanMs("for")
        let reason = invocation.arguments.value("reason")
        let answer = try invocation.ask { try $0.pauseRaw(target, reason: reason, ttlMs: ttlMs) }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else {
            let count = answer["waiting"]?.integer ?? 0
            try invocation.console.writeLine("paused; \(OperationText.count(count)) held by it")
        }
        return ExitCode.success.rawValue
    }

    private static func list(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let answer = try invocation.ask { try $0.listPausesRaw() }
        if invocation.printsJSON {
            if let elements = answer["pauses"]?.elements {
                for pause in elements { try invocation.console.writeJSON(pause) }
            }
            return ExitCode.success.rawValue
        }
        let nowUsec = invocation.nowUsec
        var table = Table([
            .init("PAUSED"), .init("WAITING", .right), .init("SINCE"), .init("UNTIL"),
            .init("BY", .right), .init("REASON"),
        ])
        for pause in try invocation.ask({ _ in try ToldPause.list(in: answer) }) {
            table.append([
                .init(name(pause)), .init("\(pause.waiting)"),
                .init(TimeText.relative(pause.sinceUsec, nowUsec: nowUsec)),
                .init(pause.untilUsec.map { TimeText.relative($0, nowUsec: nowUsec) } ?? "-"),
                .init("\(pause.authorID)"), .init(pause.reason),
            ])
        }
        if table.isEmpty { invocation.console.say("Nothing is paused.") }
        try table.write(to: invocation.console)
        return ExitCode.success.rawValue
    }

    private static func name(_ pause: ToldPause) -> String {
        let parts = [
            pause.queue.map { "queue \($0)" }, pause.destination.map { "destination \($0)" },
            pause.credential.map { "credential \($0)" }, pause.ownerID.map { "user \($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? "all" : parts.joined(separator: ", ")
    }
}

/// `retryctl resume`
package enum ResumeCommand {
    package static let definition = CommandDefinition(
        "resume", "hand out again what was paused",
        examples: [
            .init("retryctl resume --queue mail", "by and by, so that no herd falls on a server"),
            .init("retryctl resume --all", "the pause of everything"),
        ],
        details: ["Takes back the pause of exactly that: \"retryctl pause\" lists them."],
        options: PauseTargetOptions.definitions,
        exitCodes: [("66", "nothing like that was paused")],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        guard let target = try PauseTargetOptions.target(invocation.arguments) else {
            throw PauseTargetOptions.missing
        }
        let answer = try invocation.ask { try $0.resumeRaw(target) }
        if invocation.printsJSON { try invocation.console.writeJSON(answer) }
        guard answer["paused"]?.bool == true else {
            throw CommandFailure(
                "that was not paused; \"retryctl pause\" lists what is", .notFound)
        }
        if !invocation.printsJSON {
            let count = answer["released"]?.integer ?? 0
            try invocation.console.writeLine("resumed; \(OperationText.count(count)) let go")
        }
        return ExitCode.success.rawValue
    }
}

/// The options that say what is paused.
enum PauseTargetOptions {
    static let definitions: [OptionDefinition] = [
        .value("queue", "QUEUE", "operations of this queue"),
        .value("destination", "NAME", "operations for this destination"),
        .value("credential", "NAME", "operations that use this sign-in"),
        .value("owner", "USER", "operations of this user (admins: default is all users)"),
        .flag("all", "everything that you may touch"),
    ]

    static let missing = CommandFailure(
        "what? say --queue, --destination, --credential, --owner or --all", .usage)

    /// - Returns: nil when nothing is said.
    static func target(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> RetryClient.PauseTarget? {
        var target = RetryClient.PauseTarget()
        target.queue = arguments.value("queue")
        target.destination = arguments.value("destination")
        target.credential = arguments.value("credential")
        if let owner = arguments.value("owner") {
            target.ownerID = try FilterOptions.userID(owner)
        }
        target.isAll = arguments.has("all")
        return target == RetryClient.PauseTarget() ? nil : target
    }
}
