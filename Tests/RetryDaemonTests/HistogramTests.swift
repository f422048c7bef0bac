import RetryModel
import Testing

@testable import RetryDaemon

/// Counting how long things took, and telling it.
@Suite
struct HistogramTests {
    @Test
    func aBoundBelongsToItsBucket() {
        var histogram = Histogram(boundsUsec: [1_000, 10_000])
        histogram.observe(Span(usec: 1_000))
        histogram.observe(Span(usec: 1_001), times: 3)
        histogram.observe(Span(usec: 10_001))
        // A clock that went back is no reason to fail.
        histogram.observe(Span(usec: -5))
        #expect(histogram.counts == [2, 3, 1])
        #expect(histogram.sumUsec == 1_000 + 3_003 + 10_001)
    }

    @Test
    func bucketsAreToldAddedUpAndInSeconds() {
        var histogram = Histogram(boundsUsec: [500, 1_000_000])
        histogram.observe(Span(usec: 100), times: 2)
        histogram.observe(Span(usec: 999_900))
        histogram.observe(Span(usec: 2_000_000))
        var metrics = MetricsText()
        metrics.histogram("x_seconds", "How long.", histogram)
        #expect(
            metrics.text == """
                # HELP x_seconds How long.
                # TYPE x_seconds histogram
                x_seconds_bucket{le="0.0005"} 2
                x_seconds_bucket{le="1"} 3
                x_seconds_bucket{le="+Inf"} 4
                x_seconds_sum 3.0001
                x_seconds_count 4

                """)
    }

    @Test
    func labelsAreEscaped() {
        var metrics = MetricsText()
        metrics.value("x", 1, ("name", "a\\b\"c\nd"))
        #expect(metrics.text == "x{name=\"a\\\\b\\\"c\\nd\"} 1\n")
    }

    @Test
    func aSubmitIsTimedUntilItsBatchIsStored() {
        var clock = SubmitClock()
        var histogram = Histogram(boundsUsec: [10, 20])
        clock.submitted(at: Instant(usec: 100), in: 1)
        clock.submitted(at: Instant(usec: 100), in: 1)
        clock.submitted(at: Instant(usec: 105), in: 2)
        clock.stored(through: 1, at: Instant(usec: 108), into: &histogram)
        #expect(histogram.counts == [2, 0, 0])
        clock.stored(through: 2, at: Instant(usec: 120), into: &histogram)
        #expect(histogram.counts == [2, 1, 0])
        clock.submitted(at: Instant(usec: 130), in: 3)
        clock.removeAll()
        clock.stored(through: 3, at: Instant(usec: 131), into: &histogram)
        #expect(histogram.counts == [2, 1, 0])
    }
}
