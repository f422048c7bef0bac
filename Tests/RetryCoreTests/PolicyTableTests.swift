import RetryModel
import Testing

@testable import RetryCore

@Suite
struct PolicyTableTests {
    private var policies = PolicyTable()

    private static func policy(_ name: String, attemptsMax: UInt16) -> Policy {
        var policy = Policy(name: name)
        policy.attemptsMax = attemptsMax
        return policy
    }

    @Test
    func withoutAConfigurationThereIsTheDefault() {
        #expect(policies[0] == .standard)
        #expect(policies.name(0) == "default")
        #expect(policies.index(named: "default") == 0)
        #expect(policies[17] == .standard)
        #expect(policies.name(17) == "default")
    }

    @Test
    mutating func newNamesGetNumbersAndAreTold() {
        let added = policies.replace(
            with: [Self.policy("a", attemptsMax: 3), Self.policy("b", attemptsMax: 4)],
            ofQueues: [("mail", "b")])
        #expect(added.map(\.0) == [1, 2])
        #expect(added.map(\.1) == ["a", "b"])
        #expect(policies[2].attemptsMax == 4)
        #expect(policies.index(ofQueue: "mail") == 2)
        #expect(policies.index(ofQueue: "news") == nil)
    }

    @Test
    mutating func aNameKeepsItsNumber() {
        _ = policies.replace(with: [Self.policy("a", attemptsMax: 3)], ofQueues: [])
        _ = policies.replace(with: [Self.policy("b", attemptsMax: 4)], ofQueues: [])
        let added = policies.replace(with: [Self.policy("a", attemptsMax: 5)], ofQueues: [])
        #expect(added.isEmpty)
        #expect(policies.index(named: "a") == 1)
        #expect(policies[1].attemptsMax == 5)
    }

    @Test
    mutating func forANameThatVanishedTheDefaultStandsIn() {
        _ = policies.replace(with: [Self.policy("a", attemptsMax: 3)], ofQueues: [("q", "a")])
        let own = Self.policy("default", attemptsMax: 9)
        _ = policies.replace(with: [own], ofQueues: [("q", "a")])
        #expect(policies.index(named: "a") == nil)
        #expect(policies[1].attemptsMax == 9)
        #expect(policies.name(1) == "a")
        #expect(policies.index(ofQueue: "q") == nil)
        // Without one of its own, the configuration's default is ours.
        _ = policies.replace(with: [], ofQueues: [])
        #expect(policies[0] == .standard)
    }

    @Test
    mutating func namesComeBackWithTheNumbersOfTheStore() {
        policies.restore(3, name: "c")
        policies.restore(1, name: "a")
        #expect(policies.index(named: "c") == nil)
        #expect(policies.name(3) == "c")
        let added = policies.replace(
            with: [Self.policy("c", attemptsMax: 7), Self.policy("d", attemptsMax: 8)],
            ofQueues: [])
        #expect(added.map(\.0) == [4])
        #expect(policies.index(named: "c") == 3)
        #expect(policies[3].attemptsMax == 7)
        #expect(policies[4].attemptsMax == 8)
    }
}
