import RetryCore
package import RetryModel

/// The delays that a policy gives an operation whose every attempt fails: the ranges jitter allows,
/// and one life of those that can be, drawn from a seed.
package struct PlannedDelays {
    package struct Step: Hashable {
        /// The attempt the delay leads to; the first failure was attempt 1.
        package var attempt: Int
        package var range: ClosedRange<Span>
        package var drawn: Span
        /// From the first failure to the attempt: earliest, latest, drawn.
        package var after: ClosedRange<Span>
        package var drawnAfter: Span
    }

    /// Why no attempt follows the last one.
    package enum End: String {
        case attempts = "max-attempts"
        case age = "max-age"
        /// More would follow than were asked for.
        case cut
    }

    package private(set) var steps: [Step] = []
    package private(set) var end = End.cut

    /// The total until the operation is given up, as drawn.
    package var total: Span { steps.last?.drawnAfter ?? .zero }

    /// - Parameter attemptsMax: No more attempts are planned.
    package init(_ policy: Policy, attemptsMax: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var highest = Span.zero
        var previous = Span.zero
        var after = Span.zero...Span.zero
        var drawnAfter = Span.zero
        for attempt in 2...max(2, attemptsMax) where attempt <= attemptsMax {
            let failed = UInt16(clamping: attempt - 1)
            if failed >= policy.attemptsMax {
                end = .attempts
                return
            }
            if drawnAfter >= policy.ageMax {
                end = .age
                return
            }
            let range = Backoff.range(policy, attempts: failed, previous: highest)
            let drawn = Backoff.delay(
                policy, attempts: failed, previous: previous, random: &random)
            highest = range.upperBound
            previous = drawn
            after = (after.lowerBound + range.lowerBound)...(after.upperBound + range.upperBound)
            drawnAfter = drawnAfter + drawn
            steps.append(
                Step(
                    attempt: attempt, range: range, drawn: drawn, after: after,
                    drawnAfter: drawnAfter))
        }
        if attemptsMax >= Int(policy.attemptsMax) { end = .attempts }
    }
}
