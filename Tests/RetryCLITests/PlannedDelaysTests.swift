import RetryCLI
import RetryModel
import Testing

@Suite struct PlannedDelaysTests {
    private func policy(_ change: (inout Policy) -> Void) -> Policy {
        var policy = Policy.standard
        policy.jitter = .none
        change(&policy)
        return policy
    }

    @Test func everyAttemptUntilItIsGivenUp() {
        let plan = PlannedDelays(policy { $0.attemptsMax = 4 }, attemptsMax: 1_000, seed: 1)
        #expect(plan.steps.map(\.attempt) == [2, 3, 4])
        #expect(plan.steps.map(\.drawn) == [.seconds(2), .seconds(4), .seconds(8)])
        #expect(plan.steps.map(\.drawnAfter) == [.seconds(2), .seconds(6), .seconds(14)])
        #expect(plan.end == .attempts)
        #expect(plan.total == .seconds(14))
    }

    @Test func jitterHasARangeAndASeedOneLife() {
        let jittered = policy {
            $0.attemptsMax = 6
            $0.jitter = .full
            $0.floor = .seconds(1)
        }
        let plan = PlannedDelays(jittered, attemptsMax: 1_000, seed: 7)
        #expect(plan.steps[2].range == .seconds(1)...(.seconds(8)))
        #expect(plan.steps[2].after == .seconds(3)...(.seconds(14)))
        for step in plan.steps {
            #expect(step.range.contains(step.drawn))
            #expect(step.after.contains(step.drawnAfter))
        }
        #expect(
            plan.steps == PlannedDelays(jittered, attemptsMax: 1_000, seed: 7).steps)
        #expect(
            plan.steps != PlannedDelays(jittered, attemptsMax: 1_000, seed: 8).steps)
    }

    @Test func ageAndTheReaderEndItToo() {
        let old = PlannedDelays(
            policy { $0.ageMax = .seconds(5) }, attemptsMax: 1_000, seed: 1)
        #expect(old.steps.map(\.drawnAfter) == [.seconds(2), .seconds(6)])
        #expect(old.end == .age)
        let cut = PlannedDelays(policy { _ in }, attemptsMax: 3, seed: 1)
        #expect(cut.steps.map(\.attempt) == [2, 3])
        #expect(cut.end == .cut)
        #expect(PlannedDelays(policy { _ in }, attemptsMax: 1, seed: 1).steps.isEmpty)
    }
}
