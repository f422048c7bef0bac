/// A length of time in microseconds. Arithmetic saturates: a delay never wraps around.
@frozen
public struct Span: Hashable, Comparable, Sendable {
    public var usec: Int64

    @inlinable
    public init(usec: Int64) {
        self.usec = usec
    }

    public static let zero = Span(usec: 0)

    @inlinable
    public static func milliseconds(_ count: Int64) -> Span {
        Span(usec: saturatingProduct(count, 1_000))
    }

    @inlinable
    public static func seconds(_ count: Int64) -> Span {
        Span(usec: saturatingProduct(count, 1_000_000))
    }

    public static func minutes(_ count: Int64) -> Span { .seconds(saturatingProduct(count, 60)) }
    public static func hours(_ count: Int64) -> Span { .seconds(saturatingProduct(count, 3_600)) }
    public static func days(_ count: Int64) -> Span { .seconds(saturatingProduct(count, 86_400)) }

    /// Whole milliseconds, rounded up so that a wait is never told shorter than it is.
    @inlinable
    public var millisecondsUp: Int64 {
        usec / 1_000 + (usec % 1_000 > 0 ? 1 : 0)
    }

    @inlinable
    public static func < (left: Span, right: Span) -> Bool { left.usec < right.usec }

    @inlinable
    public static func + (left: Span, right: Span) -> Span {
        Span(usec: saturatingSum(left.usec, right.usec))
    }

    @inlinable
    public static func * (span: Span, factor: Int64) -> Span {
        Span(usec: saturatingProduct(span.usec, factor))
    }
}

/// A moment on the daemon's own time line, in microseconds.
///
/// The line is CLOCK_BOOTTIME plus a base that is stored with each boot, so it goes on over
/// suspends, daemon restarts and reboots, and no step of the wall clock moves it. It is never
/// shown to people and never leaves the host.
@frozen
public struct Instant: Hashable, Comparable, Sendable {
    public var usec: Int64

    @inlinable
    public init(usec: Int64) {
        self.usec = usec
    }

    /// Later than every real moment.
    public static let never = Instant(usec: .max)

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.usec < right.usec }

    @inlinable
    public static func + (instant: Instant, span: Span) -> Instant {
        Instant(usec: saturatingSum(instant.usec, span.usec))
    }

    /// The span from the right moment to the left one.
    @inlinable
    public static func - (left: Instant, right: Instant) -> Span {
        Span(usec: saturatingDifference(left.usec, right.usec))
    }
}

/// A moment by the wall clock: microseconds since 1970-01-01 00:00 UTC, as on the wire.
@frozen
public struct WallTime: Hashable, Comparable, Sendable {
    public var usec: Int64

    @inlinable
    public init(usec: Int64) {
        self.usec = usec
    }

    @inlinable
    public static func < (left: WallTime, right: WallTime) -> Bool { left.usec < right.usec }

    @inlinable
    public static func + (time: WallTime, span: Span) -> WallTime {
        WallTime(usec: saturatingSum(time.usec, span.usec))
    }

    @inlinable
    public static func - (left: WallTime, right: WallTime) -> Span {
        Span(usec: saturatingDifference(left.usec, right.usec))
    }
}

/// Both clocks, read together once per turn of the loop.
@frozen
public struct Now: Hashable, Sendable {
    public var instant: Instant
    public var wall: WallTime

    @inlinable
    public init(instant: Instant, wall: WallTime) {
        self.instant = instant
        self.wall = wall
    }

    /// The wall time that a moment of the time line will have if no clock is stepped.
    @inlinable
    public func wall(of instant: Instant) -> WallTime {
        wall + (instant - self.instant)
    }

    /// The moment of the time line that a wall time means by the clock as it stands.
    @inlinable
    public func instant(of wall: WallTime) -> Instant {
        instant + (wall - self.wall)
    }
}

@inlinable
func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (left < 0 ? .min : .max) : sum
}

@inlinable
func saturatingDifference(_ left: Int64, _ right: Int64) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    return overflow ? (left < 0 ? .min : .max) : difference
}

@inlinable
func saturatingProduct(_ left: Int64, _ right: Int64) -> Int64 {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? ((left < 0) == (right < 0) ? .max : .min) : product
}
