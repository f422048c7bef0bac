import RetryModel
import Testing

@testable import RetryCore

@Suite
struct OutageSimulationTests {
    private var scenario: OutageScenario {
        var scenario = OutageScenario()
        scenario.hosts = 5
        scenario.operationsPerHost = 40
        scenario.outages = [.zero..<Span.minutes(5)]
        return scenario
    }

    @Test
    func theSameSeedGivesTheSameResult() {
        let first = OutageSimulation.run(scenario)
        #expect(first == OutageSimulation.run(scenario))
        var other = scenario
        other.seed = 2
        #expect(first != OutageSimulation.run(other))
    }

    @Test
    func anOutageThatEndsIsSurvived() throws {
        let result = OutageSimulation.run(scenario)
        #expect(result.succeeded == 200)
        #expect(result.gaveUp == 0)
        #expect(result.left == 0)
        let drained = try #require(result.drained)
        #expect(drained > .minutes(5))
        #expect(result.lastSuccess == drained)
        #expect(result.attempts >= 200)
        let second = try #require(result.peakSecond)
        #expect(result.attemptsPerSecond[second] == result.peak)
    }

    @Test
    func anOutageThatDoesNotEndIsGivenUp() {
        var endless = scenario
        endless.outages = [.zero..<Span.days(30)]
        endless.policy.attemptsMax = 3
        let result = OutageSimulation.run(endless)
        #expect(result.succeeded == 0)
        #expect(result.gaveUp == 200)
        #expect(result.lastSuccess == nil)
    }

    @Test
    func whatDoesNotEndInTimeIsLeft() {
        var short = scenario
        short.outages = [.zero..<Span.days(1)]
        short.length = .minutes(10)
        let result = OutageSimulation.run(short)
        #expect(result.left == 200)
        #expect(result.drained == nil)
    }

    @Test
    func aBreakerSparesTheServiceThatIsDown() {
        var unspared = scenario
        unspared.destination.failuresMax = 0
        let spared = OutageSimulation.run(scenario)
        #expect(spared.attempts < OutageSimulation.run(unspared).attempts)
    }

    @Test
    func aServiceWithLittleRoomIsNotOverrunForEver() {
        var small = scenario
        small.capacityPerSecond = 5
        let result = OutageSimulation.run(small)
        #expect(result.succeeded == 200)
        #expect(result.gaveUp == 0)
    }

    @Test
    func failuresAreDrawnByTheirWeights() {
        var mixed = scenario
        mixed.failures = [
            .init(Verdict(disposition: .permanent, rule: 0), weight: 1),
            .init(Verdict(disposition: .retry, rule: 1), weight: 0),
        ]
        let result = OutageSimulation.run(mixed)
        #expect(result.gaveUp == 200)
        #expect(result.attempts == 0)
    }
}
