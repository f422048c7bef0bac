import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SchedulerNamesTests {
    private static func policy(_ name: String, initial: Int64) -> Policy {
        var policy = Fixture.exact
        policy.name = name
        policy.initial = .seconds(initial)
        return policy
    }

    private static let policies = [
        Fixture.exact, policy("own", initial: 10), policy("rule", initial: 20),
        policy("queue", initial: 30),
    ]

    private static func fixture() -> Fixture {
        Fixture(policies: policies, ofQueues: [("busy", "queue")])
    }

    private static func order(
        queue: String, policy: String? = nil, rulePolicy: String? = nil
    ) -> Fixture.Order {
        Fixture.Order(
            queue: queue, policy: policy,
            verdict: Verdict(disposition: .retry, rule: 0, policy: rulePolicy))
    }

    /// The operation's own choice, else the rule's, else the queue's, else the default; a name
    /// that is not in force falls through.
    @Test(
        arguments: [
            (order(queue: "busy", policy: "own", rulePolicy: "rule"), 10),
            (order(queue: "busy", rulePolicy: "rule"), 20), (order(queue: "busy"), 30),
            (order(queue: "idle"), 2), (order(queue: "idle", policy: "gone"), 2),
            (order(queue: "busy", policy: "gone", rulePolicy: "gone"), 30),
            (order(queue: "busy", policy: "gone", rulePolicy: "rule"), 20),
        ] as [(Fixture.Order, Int64)])
    func choosesThePolicy(order: Fixture.Order, seconds: Int64) throws {
        var fixture = Self.fixture()
        #expect(try fixture.submit(order).decision.delay == .seconds(seconds))
    }

    @Test
    func newPoliciesAreInForceForTheNextDecision() throws {
        var fixture = Self.fixture()
        let id = try fixture.submit(Self.order(queue: "busy")).id
        let due = try fixture.record(id).due
        var effects = Effects()
        fixture.core.policiesChanged(
            to: [Fixture.exact, Self.policy("new", initial: 40)], ofQueues: [("busy", "new")],
            into: &effects)
        #expect(effects.all == [.savePolicyName(4, "new")])
        // What was decided stays, under the name it had.
        #expect(try fixture.record(id).due == due)
        #expect(fixture.core.policies.name(try fixture.record(id).policy) == "queue")
        fixture.pass(.seconds(30))
        let decision = try fixture.report(fixture.lease(queue: "busy")[0], .again)
        #expect(decision?.delay == .seconds(80))
    }

    @Test
    func lanesAreToldByNumber() throws {
        var fixture = Fixture()
        let order = Fixture.Order(destination: "mx.example.com", credential: "oauth:alice")
        let id = try fixture.submit(order).id
        #expect(fixture.core.lane(try fixture.record(id).lane) == order.submission.lane)
    }
}
