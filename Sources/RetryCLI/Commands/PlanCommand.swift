import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit
import TOML

/// `retryctl plan`
package enum PlanCommand {
    package static let definition = CommandDefinition(
        "plan", "show when a policy tries again",
        examples: [
            .init("retryctl plan", "the policy `default`"),
            .init("retryctl plan --policy slow --attempts 5", "the first five attempts of another"),
            .init("retryctl plan --config ./etc", "before it is installed"),
        ],
        details: [
            "Every attempt is taken to fail, and no server to say when to come back. EARLIEST and "
                + "LATEST are what jitter allows from now on; DELAY and AT are one life of those "
                + "that can be, drawn with --seed: the same seed draws the same one.",
            "Policies are read from the configuration files, as the daemon reads them; no daemon "
                + "is asked.",
        ],
        options: [
            .value("policy", "NAME", "which policy (default: default)"),
            .value("attempts", short: "n", "NUMBER", "at most so many attempts"),
            .value("seed", "NUMBER", "what is drawn (default 1)"),
            .flag("offline", "ask no daemon, as always"),
            .value("config", "DIR", "the retryd.toml of this directory"),
        ],
        run: run)

    private static let barWidth = 24

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let policy = try PolicyAtHand.policy(
            named: invocation.arguments.value("policy") ?? Policy.defaultName, invocation)
        let attempts = try invocation.integer("attempts", in: 1...Int64(UInt16.max))
        let seed = try invocation.integer("seed", in: 0...Int64.max) ?? 1
        let delays = PlannedDelays(
            policy, attemptsMax: Int(attempts ?? Int64(min(policy.attemptsMax, 1_000))),
            seed: UInt64(seed))
        if invocation.printsJSON {
            try invocation.console.writeJSON(json(policy, delays, seed: seed, invocation.nowUsec))
        } else {
            try write(policy, delays, invocation)
        }
        return ExitCode.success.rawValue
    }

    private static func write(
        _ policy: Policy, _ delays: PlannedDelays, _ invocation: Invocation
    ) throws(CommandFailure) {
        let nowUsec = invocation.nowUsec
        let largest = delays.steps.map(\.drawn.usec).max() ?? 0
        var table = Table([
            .init("ATTEMPT", .right), .init("EARLIEST", .right), .init("LATEST", .right),
            .init("DELAY", .right), .init("AT"), .init(""),
        ])
        for step in delays.steps {
            table.append([
                .init("\(step.attempt)"), .init(TimeText.span(usec: step.range.lowerBound.usec)),
                .init(TimeText.span(usec: step.range.upperBound.usec)),
                .init(TimeText.span(usec: step.drawn.usec)),
                .init(TimeText.absolute((WallTime(usec: nowUsec) + step.drawnAfter).usec)),
                .init(BarChart.bar(step.drawn.usec, of: largest, width: barWidth)),
            ])
        }
        try table.write(to: invocation.console)
        try invocation.console.writeLine(closing(policy, delays))
    }

    private static func closing(_ policy: Policy, _ delays: PlannedDelays) -> String {
        let total = TimeText.span(usec: delays.total.usec)
        let attempts = OperationText.attempts(delays.steps.count + 1)
        return switch delays.end {
        case .attempts: "Given up after \(attempts), \(total) from now."
        case .age:
            "Given up when attempt \(delays.steps.count + 1) fails, \(total) from now: older than "
                + "\(SpanText.write(policy.ageMax)) (max-age)."
        case .cut: "\(attempts) in \(total); more would follow."
        }
    }

    private static func json(
        _ policy: Policy, _ delays: PlannedDelays, seed: Int64, _ nowUsec: Int64
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("policy")
        writer.string(policy.name)
        writer.name("seed")
        writer.integer(seed)
        writer.name("steps")
        writer.beginArray()
        for step in delays.steps {
            writer.beginObject()
            write("attempt", Int64(step.attempt), &writer)
            write("delay_min_ms", step.range.lowerBound.millisecondsUp, &writer)
            write("delay_max_ms", step.range.upperBound.millisecondsUp, &writer)
            write("delay_ms", step.drawn.millisecondsUp, &writer)
            let now = WallTime(usec: nowUsec)
            write("due_min_usec", (now + step.after.lowerBound).usec, &writer)
            write("due_max_usec", (now + step.after.upperBound).usec, &writer)
            write("due_usec", (now + step.drawnAfter).usec, &writer)
            writer.endObject()
        }
        writer.endArray()
        write("total_ms", delays.total.millisecondsUp, &writer)
        writer.name("end")
        writer.string(delays.end.rawValue)
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ name: StaticString, _ number: Int64, _ writer: inout JSONWriter) {
        writer.name(name)
        writer.integer(number)
    }
}

/// Policies of the configuration files.
enum PolicyAtHand {
    static func policy(
        named name: String, _ invocation: Invocation
    ) throws(CommandFailure) -> Policy {
        let configuration = try RulesAtHand(invocation.arguments).configuration
        if let index = configuration.policyIndex(named: name) {
            return configuration.policies[Int(index)]
        }
        let names = configuration.policies.map(\.name)
        let nearest = NearestName.find(name, in: names)
        throw CommandFailure(
            "there is no policy \"\(name)\""
                + (nearest.map { "; did you mean \($0)?" }
                    ?? "; there are \(names.joined(separator: ", "))"), .usage)
    }
}
