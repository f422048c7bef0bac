import RetryModel
import Testing

@testable import RetryConfig

@Suite
struct ConfigurationParserPoliciesTests {
    @Test
    func readsEveryKey() throws {
        let result = try configuration(
            """
            [policy.odd]
            initial = "3s"
            factor = 1.5
            max = "2h"
            jitter = "decorrelated"
            floor = 0
            steps = [1, "10s", "1min"]
            max-attempts = 65535
            max-age = "infinity"
            hint-max = "1d"
            hint-over-max = "dead"
            reset-after = "1h"
            max-hold = "infinity"
            max-park = "90d"
            max-recoveries = 0
            visibility = "5min"
            """)
        var odd = Policy(name: "odd")
        odd.initial = .seconds(3)
        odd.factorMilli = 1_500
        odd.max = .hours(2)
        odd.jitter = .decorrelated
        odd.floor = .zero
        odd.steps = [.seconds(1), .seconds(10), .minutes(1)]
        odd.attemptsMax = 65_535
        odd.ageMax = Span(usec: .max)
        odd.hintMax = .days(1)
        odd.hintOverMax = .dead
        odd.resetAfter = .hours(1)
        odd.holdMax = Span(usec: .max)
        odd.parkMax = .days(90)
        odd.recoveriesMax = 0
        odd.visibility = .minutes(5)
        #expect(result.policies == [.standard, odd, .slow(from: .standard)])
        #expect(result.policyIndex(named: "odd") == 1)
        #expect(result.policyIndex(named: "default") == 0)
        #expect(result.policyIndex(named: "even") == nil)
    }

    @Test
    func othersTakeFromDefaultWhatTheyDoNotSay() throws {
        let result = try configuration(
            "[policy.tardy]\ninitial = \"1min\"\n[policy.copy]\n",
            "[policy.default]\nmax-attempts = 3\n")
        #expect(result.policies.map(\.name) == ["default", "copy", "slow", "tardy"])
        #expect(result.policies.map(\.attemptsMax) == [3, 3, 8, 3])
        #expect(
            result.policies.map(\.initial)
                == [.seconds(2), .seconds(2), .minutes(5), .minutes(1)])
    }

    @Test
    func slowTakesTheRestFromDefaultAndCanBeChanged() throws {
        let result = try configuration(
            "[policy.default]\nmax-age = \"1d\"\nsteps = [1]\n[policy.slow]\nmax = \"1h\"\n")
        var slow = Policy(name: "slow")
        slow.initial = .minutes(5)
        slow.factorMilli = 3_000
        slow.max = .hours(1)
        slow.jitter = .equal
        slow.floor = .minutes(1)
        slow.attemptsMax = 8
        slow.ageMax = .days(1)
        #expect(result.policies.last == slow)
    }

    @Test
    func aLaterFileOverridesOneKeyOfAPolicy() throws {
        let result = try configuration(
            "[policy.copy]\ninitial = \"1min\"\nmax = \"2h\"\n", "[policy.copy]\nmax = \"3h\"\n")
        #expect(result.policies[1].initial == .minutes(1))
        #expect(result.policies[1].max == .hours(3))
    }

    @Test
    func explicitStepsNeedNoMax() throws {
        let result = try configuration("[policy.listed]\nsteps = [1]\nmax = \"500ms\"\n")
        #expect(result.policies[1].steps == [.seconds(1)])
    }
}
