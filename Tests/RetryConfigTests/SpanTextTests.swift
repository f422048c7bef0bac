import RetryModel
import Testing

@testable import RetryConfig

@Suite
struct SpanTextTests {
    @Test(arguments: [
        ("2s", 2_000_000), ("90", 90_000_000), ("1h 30min", 5_400_000_000),
        ("1h30m", 5_400_000_000), ("5d", 432_000_000_000), ("1w", 604_800_000_000),
        ("500ms", 500_000), ("7us", 7), ("1.5s", 1_500_000), ("0.000001s", 1), ("0", 0),
        ("  2 hours  ", 7_200_000_000), ("1hr 1sec", 3_601_000_000),
    ])
    func readsWhatPeopleWrite(text: String, usec: Int64) {
        #expect(SpanText.parse(text) == Span(usec: usec))
    }

    @Test(arguments: [
        "", " ", "s", "-1s", "+1s", "1x", "1.s", ".5s", "1.0000001s", "1 h h", "1e3", "1h,2",
        "99999999999999999999s", "infinity",
    ])
    func refusesWhatIsNoTime(text: String) {
        #expect(SpanText.parse(text) == nil)
    }

    @Test
    func saturates() {
        #expect(SpanText.parse("9223372036854775807w") == .infinity)
        #expect(SpanText.parse("9223372036854775807us 1us") == .infinity)
    }

    @Test(arguments: [
        (0, "0s"), (5_400_000_000, "1h 30min"), (432_000_000_000, "5d"), (1_500_000, "1s 500ms"),
        (7, "7us"),
    ])
    func writesWhatItReads(usec: Int64, text: String) {
        #expect(SpanText.write(Span(usec: usec)) == text)
        #expect(SpanText.parse(text) == Span(usec: usec))
    }

    @Test
    func namesTheEndless() {
        #expect(SpanText.write(.infinity) == "infinity")
    }
}
