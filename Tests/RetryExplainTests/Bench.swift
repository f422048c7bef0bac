import JSON
import RetryExplain
import RetryModel
import RetryRules

/// A few rules, policies without jitter, and a noon at which failures are judged.
struct Bench {
    static let noon = WallTime(usec: 1_772_366_400_000_000)

    private static let rules = """
        [[hint]]
        name = "retry-after"
        from = "http.headers.retry-after"
        form = "seconds-or-date"

        [[rule]]
        name = "busy"
        description = "Too busy."
        source = "RFC 6585"
        when.http.status = 429
        then = { decision = "retry", applied = "no", hint = "retry-after" }

        [[rule]]
        name = "once"
        when.http.status = 500
        then = { decision = "retry", limit = 1, policy = "quick", applied = "no" }

        [[rule]]
        name = "gone"
        when.http.status = 410
        then = "permanent introspect-cause"

        [[rule]]
        name = "refused"
        when.http.status = 401
        then = "reauthenticate"

        [[rule]]
        name = "away"
        when.http.status = 423
        then = "retry when-foreground"

        [rule.messages.en]
        title = "Come back"
        options = [{ name = "go", label = "Go", does = "retry" }]

        [[message]]
        decision = "permanent introspect-cause"
        [message.en]
        title = "It failed"
        """

    let explainer: Explainer
    private let parser = JSONParser(lengthMax: 1 << 20, depthMax: 32)

    init(policies: [Policy]? = nil, recoversAutomatically: Bool = true) throws {
        let source = RuleSource(path: "/etc/r.toml", tier: 0, bytes: Array(Self.rules.utf8))
        explainer = Explainer(
            Classifier(try RuleSet.compile(files: [source])),
            policies: policies ?? [Self.exact, Self.quick],
            recoversAutomatically: recoversAutomatically)
    }

    /// 2 s, 4 s, 8 s and so on, four attempts in all.
    static var exact: Policy {
        var policy = Policy.standard
        policy.jitter = .none
        policy.attemptsMax = 4
        return policy
    }

    /// Between 1 s and 10 s each time.
    static var quick: Policy {
        var policy = Policy(name: "quick")
        policy.steps = [.seconds(10)]
        return policy
    }

    func explain(
        _ json: String, _ change: (inout Circumstances) -> Void = { _ in }
    ) throws -> ExplainedFailure {
        var circumstances = Circumstances(now: Self.noon)
        change(&circumstances)
        return explainer.explain(try parser.parse(Array(json.utf8)), circumstances)
    }

    func judge(
        _ json: String, _ change: (inout Circumstances) -> Void = { _ in }
    ) throws -> Judgement {
        var circumstances = Circumstances(now: Self.noon)
        change(&circumstances)
        return explainer.judge(try parser.parse(Array(json.utf8)), circumstances)
    }

    /// The line other tools rely on.
    func line(
        _ json: String, _ change: (inout Circumstances) -> Void = { _ in }
    ) throws -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.judgementMembers(try judge(json, change))
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
