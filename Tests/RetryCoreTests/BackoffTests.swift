import RetryModel
import Testing

@testable import RetryCore

@Suite
struct BackoffTests {
    private static func policy(_ jitter: Jitter, max: Span = .hours(1)) -> Policy {
        var policy = Policy.standard
        policy.jitter = jitter
        policy.max = max
        return policy
    }

    /// Draws the delays of the first failures one after the other, as an operation meets them.
    private static func delays(_ policy: Policy, _ count: UInt16, seed: UInt64 = 42) -> [Int64] {
        var random = SplitMix64(seed: seed)
        var previous = Span.zero
        return (1...count).map { attempts in
            previous = Backoff.delay(
                policy, attempts: attempts, previous: previous, random: &random)
            return previous.usec
        }
    }

    // MARK: Base

    @Test(arguments: [
        (0 as UInt16, 2_000_000 as Int64), (1, 2_000_000), (2, 4_000_000), (3, 8_000_000),
        (10, 1_024_000_000), (11, 2_048_000_000), (12, 3_600_000_000), (13, 3_600_000_000),
        (.max, 3_600_000_000),
    ])
    func doublesUpToTheCap(attempts: UInt16, expected: Int64) {
        #expect(Backoff.base(.standard, attempts: attempts).usec == expected)
    }

    /// gRPC's connection back-off (taxonomy section 9): 1 s × 1.6 up to 120 s, whole microseconds.
    @Test
    func growsByThousandths() {
        var policy = Policy.standard
        policy.initial = .seconds(1)
        policy.factorMilli = 1_600
        policy.max = .seconds(120)
        let bases = (1...12).map { Backoff.base(policy, attempts: UInt16($0)).usec }
        #expect(
            bases == [
                1_000_000, 1_600_000, 2_560_000, 4_096_000, 6_553_600, 10_485_760, 16_777_216,
                26_843_545, 42_949_672, 68_719_475, 109_951_160, 120_000_000,
            ])
    }

    @Test
    func aFactorOfOneStaysAtTheInitialDelay() {
        var policy = Policy.standard
        policy.factorMilli = 1_000
        #expect(Backoff.base(policy, attempts: .max) == .seconds(2))
    }

    @Test
    func anInitialDelayOverTheCapIsTheCap() {
        var policy = Policy.standard
        policy.initial = .hours(2)
        #expect(Backoff.base(policy, attempts: 1) == .hours(1))
        #expect(Backoff.base(policy, attempts: 9) == .hours(1))
    }

    @Test
    func theLargestValuesSaturate() {
        var policy = Policy.standard
        policy.initial = Span(usec: .max / 2 + 1)
        policy.max = Span(usec: .max)
        policy.factorMilli = .max
        #expect(Backoff.base(policy, attempts: 1).usec == .max / 2 + 1)
        #expect(Backoff.base(policy, attempts: 2).usec == .max)
        #expect(Backoff.base(policy, attempts: .max).usec == .max)
        policy.jitter = .decorrelated
        var random = SplitMix64(seed: 1)
        let delay = Backoff.delay(
            policy, attempts: 2, previous: Span(usec: .max), random: &random)
        #expect(delay >= policy.initial)
    }

    @Test
    func explicitStepsAreTakenInTurnAndTheLastRepeats() {
        var policy = Self.policy(.none)
        policy.steps = [.seconds(1), .seconds(1), .minutes(5), .hours(9)]
        let bases = (1...6).map { Backoff.base(policy, attempts: UInt16($0)) }
        #expect(
            bases == [.seconds(1), .seconds(1), .minutes(5), .hours(9), .hours(9), .hours(9)])
    }

    // MARK: Jitter

    @Test
    func noJitterDrawsNothing() {
        #expect(
            Self.delays(Self.policy(.none), 6)
                == [2_000_000, 4_000_000, 8_000_000, 16_000_000, 32_000_000, 64_000_000])
        var random = SplitMix64(seed: 5)
        _ = Backoff.delay(Self.policy(.none), attempts: 3, previous: .zero, random: &random)
        var fresh = SplitMix64(seed: 5)
        #expect(random.next() == fresh.next())
    }

    @Test
    func fullJitterDrawsFromZeroAndKeepsTheFloor() {
        #expect(
            Self.delays(Self.policy(.full), 6)
                == [1_483_130, 1_000_000, 2_228_809, 5_507_051, 1_216_965, 55_566_597])
    }

    @Test
    func equalJitterDrawsTheUpperHalf() {
        #expect(
            Self.delays(Self.policy(.equal), 6)
                == [1_741_565, 2_319_820, 5_114_404, 10_753_526, 16_608_482, 59_783_299])
    }

    @Test
    func decorrelatedJitterGrowsFromThePreviousDelay() {
        #expect(
            Self.delays(Self.policy(.decorrelated), 8)
                == [
                    4_966_260, 4_062_649, 4_838_373, 6_307_588, 2_643_575, 7_149_222, 6_247_471,
                    15_404_510,
                ])
    }

    /// min(cap, U(base, 3s)): what is drawn beyond the cap is the cap itself, twice here.
    @Test
    func decorrelatedJitterIsCappedAfterTheDraw() {
        #expect(
            Self.delays(Self.policy(.decorrelated, max: .seconds(20)), 12)
                == [
                    4_966_260, 4_062_649, 4_838_373, 6_307_588, 2_643_575, 7_149_222, 6_247_471,
                    15_404_510, 17_029_551, 20_000_000, 13_884_306, 20_000_000,
                ])
    }

    @Test
    func theFloorIsAppliedAfterTheJitterToEveryKind() {
        for jitter in [Jitter.none, .equal, .full, .decorrelated] {
            var policy = Self.policy(jitter)
            policy.initial = .milliseconds(1)
            policy.factorMilli = 1_000
            policy.floor = .seconds(3)
            #expect(Self.delays(policy, 1) == [3_000_000])
        }
    }

    @Test(arguments: [Jitter.none, .equal, .full, .decorrelated])
    func drawsStayInsideTheToldRange(jitter: Jitter) {
        let policy = Self.policy(jitter, max: .minutes(10))
        var random = SplitMix64(seed: 99)
        var previous = Span.zero
        for attempts in 1...2_000 as ClosedRange<UInt16> {
            let range = Backoff.range(policy, attempts: attempts % 20, previous: previous)
            previous = Backoff.delay(
                policy, attempts: attempts % 20, previous: previous, random: &random)
            #expect(range.contains(previous))
        }
    }

    @Test
    func tellsTheRangesExactly() {
        #expect(
            Backoff.range(Self.policy(.none), attempts: 3, previous: .zero)
                == .seconds(8)...(.seconds(8)))
        #expect(
            Backoff.range(Self.policy(.equal), attempts: 3, previous: .zero)
                == .seconds(4)...(.seconds(8)))
        #expect(
            Backoff.range(Self.policy(.full), attempts: 3, previous: .zero)
                == .seconds(1)...(.seconds(8)))
        #expect(
            Backoff.range(Self.policy(.decorrelated), attempts: 3, previous: .seconds(5))
                == .seconds(2)...(.seconds(15)))
        #expect(
            Backoff.range(
                Self.policy(.decorrelated, max: .seconds(9)), attempts: 3, previous: .seconds(5))
                == .seconds(2)...(.seconds(9)))
    }

    // MARK: Spread

    /// U(0, max(1 s, hint / 10)).
    @Test
    func theSpreadIsATenthOfTheHintAndASecondAtLeast() {
        var random = SplitMix64(seed: 42)
        let short = (0..<3).map { _ in Backoff.spread(.seconds(2), random: &random).usec }
        #expect(short == [741_565, 159_910, 278_601])
        random = SplitMix64(seed: 42)
        let long = (0..<3).map { _ in Backoff.spread(.seconds(60), random: &random).usec }
        // 741565, 159910 and 278601 millionths of 6 s, to the microsecond.
        #expect(long[0] / 6 == 741_565)
        #expect(long.allSatisfy { (0...6_000_000).contains($0) })
    }

    @Test
    func theSpreadOfTheLongestHintDoesNotTrap() {
        var random = SplitMix64(seed: 42)
        #expect(Backoff.spread(Span(usec: .max), random: &random).usec <= .max / 10)
        #expect(Backoff.spread(Span(usec: .min), random: &random).usec <= 1_000_000)
    }
}
