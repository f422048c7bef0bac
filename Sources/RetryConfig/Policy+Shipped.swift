import RetryModel

/// Policies that are there without being configured, besides `default`.
extension Policy {
    /// For what passes, but rarely within minutes: rules name it (`policy = "slow"`).
    static let slowName = "slow"

    /// Few attempts, far apart: the first after minutes, the last within a day and a half.
    ///
    /// - Parameter standard: `default` as it is configured; gives what is not said here.
    static func slow(from standard: Policy) -> Policy {
        var policy = standard
        policy.name = slowName
        policy.initial = .minutes(5)
        policy.factorMilli = 3_000
        policy.max = .hours(6)
        // Drawn from zero upwards the first delay might be seconds.
        policy.jitter = .equal
        policy.floor = .minutes(1)
        policy.steps = []
        policy.attemptsMax = 8
        return policy
    }
}
