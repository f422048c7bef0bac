import RetryCore
import RetryModel
import Testing

/// The core in a world where everything goes wrong. See `SimulationSettings` for longer runs and
/// for running one seed again.
@Suite
struct SimulationTests {
    /// Runs are dealt out to so many tests, which run side by side.
    private static let parts = 8

    @Test(arguments: 0..<parts)
    func everythingHolds(part: Int) {
        let settings = SimulationSettings.fromEnvironment
        for (number, seed) in settings.seeds.enumerated() where number % Self.parts == part {
            let simulation = Simulation(seed: seed, steps: settings.steps)
            do {
                // Every tenth is run again: the trace must be the same.
                if number % 10 == part {
                    try simulation.runTwice()
                } else {
                    _ = try simulation.run()
                }
            } catch let violation as Violation {
                return simulation.tell(violation)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test
    func differentSeedsHaveDifferentTraces() throws {
        let first = try Simulation(seed: 1, steps: 500).run()
        let second = try Simulation(seed: 2, steps: 500).run()
        #expect(first != second)
    }

    /// A world in which little happens would prove little: every cause and change is met.
    @Test
    func theWorldIsWildEnough() throws {
        var seen: Set<Change> = []
        for seed in 1...12 as ClosedRange<UInt64> {
            var world = World(seed: seed, coreSeed: seed, bug: nil, keepsLines: false)
            try world.run(steps: SimulationSettings.stepsDefault)
            seen.formUnion(world.trace.changes)
        }
        let plain: [Change] = [
            .accepted, .attemptFailed, .succeeded, .scheduled, .held, .ready, .leased, .leaseLost,
            .released, .cancelled, .revived, .replaced, .removed, .resolved,
            .recovered(.retried), .recovered(.cancelled),
        ]
        var expected = Set(plain)
        for cause in Cause.allCases where cause != .none {
            expected.insert(cause.rawValue < 16 ? .parked(cause) : .gaveUp(cause))
        }
        #expect(expected.subtracting(seen) == [])
    }

    /// What finds nothing proves nothing: each bug must be found, by the rule that is about it.
    @Test(arguments: PlantedBug.allCases)
    func everyPlantedBugIsFound(bug: PlantedBug) throws {
        var found: Violation?
        for seed in 1...10 as ClosedRange<UInt64> {
            do {
                try Simulation(seed: seed, steps: 3_000, bug: bug).runTwice()
            } catch let violation as Violation {
                found = violation
                break
            }
        }
        let violation = try #require(found, "\(bug) was not found")
        #expect(violation.rule == bug.rule, "\(violation)")
    }

    @Test
    func everyRuleHasAPlantedBug() {
        #expect(Set(PlantedBug.allCases.map(\.rule)) == Set(Rule.allCases))
    }
}
