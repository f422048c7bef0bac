package import RetryModel

/// An outage to try policies against: many hosts whose operations failed at one service.
package struct OutageScenario: Hashable, Sendable {
    package var seed: UInt64 = 1
    package var hosts = 10
    package var operationsPerHost = 100
    /// Attempts that a host makes at the same time.
    package var workersPerHost = 10
    /// The first failures come evenly over that time from the beginning.
    package var arrival = Span.seconds(60)
    /// When the service is down; each begins before it ends.
    package var outages: [Range<Span>] = [.zero..<Span.minutes(10)]
    /// Attempts the service takes in a second while it is up; what is beyond fails. 0: all.
    package var capacityPerSecond = 0
    /// How long an attempt takes.
    package var attemptLength = Span.milliseconds(50)
    /// What an attempt fails with, while the service is down or has no room, and how often in
    /// relation to the others. Empty: retry, nothing else said.
    package var failures: [Failure] = []
    /// When it is over, whatever is left.
    package var length = Span.days(1)
    package var policy = Policy.standard
    package var destination = DestinationPolicy.standard
    package var ramp = RampSettings()

    /// A failure among others.
    package struct Failure: Hashable, Sendable {
        package var verdict: Verdict
        package var weight: Int

        package init(_ verdict: Verdict, weight: Int) {
            self.verdict = verdict
            self.weight = weight
        }
    }

    package init() {}
}

/// What came of it.
package struct OutageResult: Hashable, Sendable {
    /// Attempts that began in each second from the beginning; the first failures are none.
    package internal(set) var attemptsPerSecond: [Int] = []
    package internal(set) var succeeded = 0
    package internal(set) var gaveUp = 0
    /// Those parked or waiting at the end.
    package internal(set) var left = 0
    /// When the last one that succeeded did; nil: none.
    package internal(set) var lastSuccess: Span?
    /// When nothing waited any more; nil: something is left.
    package internal(set) var drained: Span?

    package var attempts: Int { attemptsPerSecond.reduce(0, +) }

    /// The most attempts in a second.
    package var peak: Int { attemptsPerSecond.max() ?? 0 }

    /// The second in which they were; nil: there was no attempt.
    package var peakSecond: Int? {
        attemptsPerSecond.isEmpty || peak == 0 ? nil : attemptsPerSecond.firstIndex(of: peak)
    }
}
