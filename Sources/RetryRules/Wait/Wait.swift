import JSON
import RetryModel

/// A wait as it was read. What can't be read is nil, and the next hint is asked.
enum Wait: Equatable {
    /// Come back at once: 0 seconds, or a date that has passed. No later hint is asked.
    case none
    case after(Span)
    case at(WallTime)

    static func after(usec: Int64) -> Wait {
        usec > 0 ? .after(Span(usec: usec)) : .none
    }
}

extension Classifier {
    /// Reads a wait in one form; negative values and junk are not read (taxonomy section 3).
    func wait(in fact: Fact, form: WaitForm) -> Wait? {
        switch form {
        case .secondsOrDate:
            return secondsOrDate(fact)
        case .seconds:
            return WaitText.millionths(fact).map(Wait.after(usec:))
        case .milliseconds:
            return milliseconds(fact)
        case .minutes:
            return WaitText.millionths(fact).map { minutes in
                .after(usec: (Span(usec: minutes) * 60).usec)
            }
        case .reset:
            return reset(fact)
        case .duration:
            return duration(fact)
        case .rateLimit:
            guard fact.kind == .text else { return nil }
            return RateLimitField.secondsLeft(in: fact.text).map { seconds in
                .after(usec: Span.seconds(seconds).usec)
            }
        case .usage:
            guard fact.kind == .text else { return nil }
            return UsageField.minutesToWait(in: fact.text).map { minutes in
                .after(usec: Span.minutes(minutes).usec)
            }
        case .dateInText:
            guard fact.kind == .text, fact.count <= TextMatch.searchedBytesMax else { return nil }
            return DateReader.firstDate(in: fact.text, near: receivedAt).map(from)
        }
    }

    /// The wait until a date; none where it has passed.
    private func from(_ date: WallTime) -> Wait {
        date > receivedAt ? .at(date) : .none
    }

    /// `Retry-After` has no fractions (RFC 9110 section 10.2.3), so `1.5` is junk.
    private func secondsOrDate(_ fact: Fact) -> Wait? {
        switch fact.kind {
        case .integer:
            return fact.bits < 0 ? nil : .after(usec: Span.seconds(fact.bits).usec)
        case .text:
            if let seconds = WaitText.digits(fact.text) {
                return .after(usec: Span.seconds(seconds).usec)
            }
            return DateReader.date(fact.text, near: receivedAt).map(from)
        case .double, .bool, .array, .object:
            return nil
        }
    }

    private func milliseconds(_ fact: Fact) -> Wait? {
        let count: Int64? = fact.kind == .text ? WaitText.digits(fact.text) : fact.whole
        guard let count, count >= 0 else { return nil }
        return .after(usec: Span.milliseconds(count).usec)
    }

    private func reset(_ fact: Fact) -> Wait? {
        guard let number = WaitText.millionths(fact) else {
            guard fact.kind == .text else { return nil }
            return DateReader.date(fact.text, near: receivedAt).map(from)
        }
        let seconds = number / 1_000_000
        if seconds < WaitText.deltaSecondsMax { return .after(usec: number) }
        if seconds < WaitText.unixSecondsMax { return from(WallTime(usec: number)) }
        return from(WallTime(usec: Span.milliseconds(seconds).usec))
    }

    private func duration(_ fact: Fact) -> Wait? {
        guard fact.kind == .text else { return WaitText.millionths(fact).map(Wait.after(usec:)) }
        return DurationText.usec(fact.text).map(Wait.after(usec:))
    }
}
