package import RetryModel

/// The delays of a policy: integers, saturating, exact under a fixed seed.
///
/// The formulas are those of AWS's simulator (aws-samples/aws-arch-backoff-simulator,
/// src/backoff_simulator.py), with a floor after the jitter.
package enum Backoff {
    /// The delay before jitter after the given number of failed attempts (1: the first).
    package static func base(_ policy: Policy, attempts: UInt16) -> Span {
        let attempts = Swift.max(Int(attempts), 1)
        if let last = policy.steps.last {
            return attempts <= policy.steps.count ? policy.steps[attempts - 1] : last
        }
        var delay = min(policy.initial, policy.max)
        for _ in 1..<attempts {
            let grown = Span(usec: scaled(delay.usec, byMilli: policy.factorMilli))
            // No growth left: a factor of 1, or the cap.
            if grown <= delay || delay >= policy.max { break }
            delay = min(grown, policy.max)
        }
        return delay
    }

    /// The smallest and the largest delay that can be drawn.
    package static func range(
        _ policy: Policy, attempts: UInt16, previous: Span
    ) -> ClosedRange<Span> {
        let base = base(policy, attempts: attempts)
        let drawn: ClosedRange<Span>
        switch policy.jitter {
        case .none: drawn = base...base
        case .equal: drawn = Span(usec: base.usec / 2)...base
        case .full: drawn = .zero...base
        case .decorrelated:
            let low = min(policy.initial, policy.max)
            let high = min(Swift.max(previous, low) * 3, policy.max)
            drawn = low...Swift.max(low, high)
        }
        return Swift.max(drawn.lowerBound, policy.floor)...Swift.max(drawn.upperBound, policy.floor)
    }

    /// Draws the delay after the given number of failed attempts.
    ///
    /// - Parameter previous: The delay drawn last time; zero the first time.
    package static func delay(
        _ policy: Policy, attempts: UInt16, previous: Span, random: inout SplitMix64
    ) -> Span {
        let base = base(policy, attempts: attempts)
        let drawn: Int64
        switch policy.jitter {
        case .none:
            drawn = base.usec
        case .equal:
            let half = base.usec / 2
            drawn = half + random.number(through: base.usec - half)
        case .full:
            drawn = random.number(through: base.usec)
        case .decorrelated:
            // The cap comes after the draw, as in the source: many delays are the cap itself.
            let low = min(policy.initial, policy.max)
            let high = Swift.max(previous, low) * 3
            drawn = min(low.usec + random.number(through: high.usec - low.usec), policy.max.usec)
        }
        return Swift.max(Span(usec: drawn), policy.floor)
    }

    /// What is added to a server's wait so that all who were told the same do not come back
    /// together: U(0, max(1 s, hint / 10)).
    package static func spread(_ hint: Span, random: inout SplitMix64) -> Span {
        Span(usec: random.number(through: Swift.max(1_000_000, hint.usec / 10)))
    }

    private static func scaled(_ value: Int64, byMilli factor: Int64) -> Int64 {
        let (high, low) = value.multipliedFullWidth(by: factor)
        // value × factor / 1000, without losing the high half.
        guard high < 1_000, high >= 0 else { return .max }
        let quotient = UInt64(1_000).dividingFullWidth((UInt64(high), low)).quotient
        return Int64(clamping: quotient)
    }
}
