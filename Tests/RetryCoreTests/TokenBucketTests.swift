import RetryModel
import Testing

@testable import RetryCore

/// Budgets by the numbers of their sources: AWS's 500 tokens at 5 each, Finagle's floor of ten
/// attempts a second.
@Suite
struct TokenBucketTests {
    private let policy = DestinationPolicy.standard
    private var bucket = TokenBucket(milli: 500_000, at: Instant(usec: 0))

    private func at(_ ms: Int64) -> Instant { Instant(usec: ms * 1_000) }

    @Test
    mutating func aHundredAttemptsInARowAndThenTenASecond() {
        for _ in 0..<100 { bucket.take(policy.attemptCost, policy, at: at(0)) }
        #expect(bucket.milli(policy, at: at(0)) == 0)
        #expect(bucket.moment(ofMilli: 5_000, policy, from: at(0)) == at(100))
        #expect(bucket.milli(policy, at: at(99)) == 4_950)
        #expect(bucket.milli(policy, at: at(100)) == 5_000)
        #expect(bucket.milli(policy, at: at(1_000)) == 50_000)
    }

    @Test
    mutating func itIsNeverFullerThanFull() {
        #expect(bucket.milli(policy, at: at(1_000_000)) == 500_000)
        bucket.take(-6, policy, at: at(0))
        #expect(bucket.milli(policy, at: at(0)) == 500_000)
        bucket.take(10, policy, at: at(0))
        #expect(bucket.milli(policy, at: .never) == 500_000)
    }

    @Test
    mutating func itNeverHoldsLessThanNone() {
        bucket.take(600, policy, at: at(0))
        #expect(bucket.storedMilli == 0)
    }

    @Test
    mutating func aMomentIsRoundedUp() {
        var slow = policy
        slow.budgetPerSecond = 3
        bucket.take(500, slow, at: at(0))
        let moment = bucket.moment(ofMilli: 1_000, slow, from: at(0))
        #expect(moment == Instant(usec: 333_334))
        #expect(bucket.milli(slow, at: Instant(usec: 333_333)) == 999)
        #expect(bucket.milli(slow, at: Instant(usec: 333_334)) == 1_000)
    }

    @Test
    mutating func aClockThatStandsGivesNothing() {
        bucket.take(500, policy, at: at(50))
        #expect(bucket.milli(policy, at: at(40)) == 0)
    }
}
