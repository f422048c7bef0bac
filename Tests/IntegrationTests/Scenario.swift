import Support
import SystemKit

/// A daemon whose failures mean what their member `test` says, and whose back-off is a millisecond.
enum Scenario {
    /// Settings that most tests start from.
    static let settings = """
        [policy.default]
        initial = "1ms"
        max = "1ms"
        floor = 0
        jitter = "none"
        [policy.slow]
        initial = "1h"
        max = "1h"
        jitter = "none"
        [signals]
        follow-network = false

        """

    private static let meanings = [
        "retry", "retry when-foreground", "retry network", "retry custom:door", "new-flow",
        "reauthenticate", "permanent introspect-cause",
    ]

    /// One rule a meaning: `{"test": "retry"}` is decided by the rule `test-retry`.
    private static var rules: String {
        var text =
            "[pack]\nphase = \"verdict\"\nmembers = [\"test\"]\n"
        for meaning in meanings {
            let name = meaning.map { $0.isLetter ? String($0) : "-" }.joined()
            let applied = meaning.hasPrefix("retry") ? ", applied = \"no\"" : ""
            text += """
                [[rule]]
                name = "test-\(name)"
                when.test = "\(meaning)"
                then = { decision = "\(meaning)"\(applied) }
                [[rule.test]]
                failure.test = "\(meaning)"

                """
        }
        return text
    }

    /// A daemon that is not started.
    static func daemon(settings more: String = "") throws -> PrivateDaemon {
        let daemon = try PrivateDaemon(settings: settings + more)
        try daemon.write(rules, to: "rules.d/test.toml")
        return daemon
    }

    static func started(settings more: String = "") throws -> PrivateDaemon {
        let daemon = try daemon(settings: more)
        try daemon.start()
        return daemon
    }
}

extension PrivateDaemon {
    func connect() throws -> WireClient { try WireClient(socket, keeping: self) }

    /// Waits until it has written that: entries of the journal have a thread of their own.
    func awaitError(_ text: String) throws {
        let endUsec = Clocks.monotonicUsec() + 20_000_000
        while !errors.contains(text) {
            guard Clocks.monotonicUsec() < endUsec else {
                throw Failure("no \"\(text)\": \(errors)")
            }
            Clocks.sleep(ms: 5)
        }
    }
}

extension Value {
    /// The parameters of a Submit.
    static func submit(
        _ operation: Value = ["queue": "mail"], _ meaning: String = "retry"
    ) -> Value {
        ["operation": operation, "failure": ["test": .string(meaning)]]
    }

    /// The parameters of a Report of failure.
    static func failed(
        _ leased: Value, _ meaning: String = "retry", failure more: [String: Value] = [:]
    ) -> Value {
        var failure = more
        failure["test"] = .string(meaning)
        return [
            "id": leased["id"], "token": leased["token"], "outcome": "failed",
            "failure": .object(failure),
        ]
    }

    static func succeeded(_ leased: Value) -> Value {
        ["id": leased["id"], "token": leased["token"], "outcome": "succeeded"]
    }

    /// The same object with other members.
    func with(_ others: [String: Value]) -> Value {
        guard case .object(let members) = self else { return .object(others) }
        return .object(members.merging(others) { _, other in other })
    }
}

extension WireClient {
    /// Hands an operation over and gives its id.
    func submit(
        _ operation: Value = ["queue": "mail"], _ meaning: String = "retry"
    ) throws -> Int64 {
        let answer = try succeed("Submit", .submit(operation, meaning))
        guard let id = answer["id"].integer else { throw Failure("no id: \(answer.text)") }
        return id
    }

    /// Leases one operation, waiting for it.
    func lease(_ queue: String = "mail", _ more: [String: Value] = [:]) throws -> Value {
        let parameters = Value.object(["queues": [.string(queue)], "wait_ms": 10_000])
        let answer = try succeed("Lease", parameters.with(more))
        guard answer["operations"].elements.count > 0 else { throw Failure("nothing to lease") }
        return answer["operations"][0]
    }

    /// What List says about an operation.
    func summary(_ id: Int64) throws -> Value {
        try succeed("Get", ["id": .integer(id)])["operation"]
    }

    func state(_ id: Int64) throws -> String {
        try summary(id)["state"].string ?? ""
    }

    func why(_ id: Int64) throws -> Value { try succeed("Why", ["id": .integer(id)]) }

    /// Asks again and again until an operation is in that state; fails after twenty seconds.
    func await(_ id: Int64, _ state: String) throws {
        let endUsec = Clocks.monotonicUsec() + 20_000_000
        while try self.state(id) != state {
            if Clocks.monotonicUsec() > endUsec {
                throw Failure("operation \(id) is \(try self.state(id)), not \(state)")
            }
            Clocks.sleep(ms: 5)
        }
    }

    /// Every operation a list has, page after page.
    func list(_ filter: Value = [:]) throws -> [Value] {
        var all: [Value] = []
        var cursor = Value.null
        repeat {
            let page = try succeed("List", ["filter": filter, "cursor": cursor])
            all += page["operations"].elements
            cursor = page["cursor"]
        } while cursor != .null
        return all
    }
}
