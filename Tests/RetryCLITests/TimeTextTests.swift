import RetryCLI
import SystemKit
import Testing

@Suite struct TimeTextTests {
    @Test(
        arguments: [
            (0, "0s"), (999_999, "0s"), (1_000_000, "1s"), (59_999_999, "59s"),
            (60_000_000, "1min"), (90_000_000, "1min 30s"), (3_600_000_000, "1h"),
            (3_660_000_000, "1h 1min"), (3_601_000_000, "1h"), (90_000_000_000, "1d 1h"),
        ] as [(Int64, String)])
    func spans(usec: Int64, text: String) {
        #expect(TimeText.span(usec: usec) == text)
    }

    @Test(
        arguments: [
            (0, "now"), (400_000, "now"), (-900_000, "now"), (600_000, "in 1s"),
            (1_000_001, "in 2s"), (61_000_000, "in 1min 1s"), (-5_000_000, "5s ago"),
            (-7_200_000_000, "2h ago"),
        ] as [(Int64, String)])
    func relativeTimes(difference: Int64, text: String) {
        let nowUsec: Int64 = 1_700_000_000_000_000
        #expect(TimeText.relative(nowUsec + difference, nowUsec: nowUsec) == text)
    }

    /// Servers and clocks choose these numbers.
    @Test func noNumberIsTooLarge() {
        #expect(TimeText.relative(.max, nowUsec: .min) == "in 106751991d 4h")
        #expect(TimeText.relative(.min, nowUsec: .max) == "106751991d 4h ago")
        #expect(TimeText.span(seconds: 90.5) == "1min 30s")
        #expect(TimeText.span(seconds: 9_223_372_036_855) == "106751991d 4h")
        #expect(TimeText.span(seconds: .infinity) == "106751991d 4h")
        #expect(TimeText.span(seconds: .nan) == "0s")
        #expect(TimeText.parseSpanMs("36500d") == 3_153_600_000_000)
        #expect(TimeText.parseSpanMs("36501d") == nil)
        #expect(TimeText.parseSpanMs("106751991d") == nil)
        #expect(TimeText.parseSpanMs("infinity") == nil)
    }

    @Test(
        arguments: [
            ("90s", 90_000), ("2", 2_000), ("1h 30min", 5_400_000), ("250ms", 250), ("1us", 1),
            ("0", nil), ("soon", nil), ("", nil), ("-5s", nil),
        ] as [(String, Int64?)])
    func parsesSpans(text: String, ms: Int64?) {
        #expect(TimeText.parseSpanMs(text) == ms)
    }

    @Test(
        arguments: [
            ("2h", 7_200_000_500), ("@1700000000", 1_700_000_000_000_000), ("@", nil), ("@-1", nil),
            ("tomorrow", nil),
        ] as [(String, Int64?)])
    func parsesMoments(text: String, usec: Int64?) {
        #expect(TimeText.parseMomentUsec(text, nowUsec: 500) == usec)
    }

    @Test func calendarTimesHaveDayTimeAndZone() {
        let text = TimeText.absolute(1_700_000_000_000_000)
        let words = text.split(separator: " ")
        #expect(words.count == 4)
        // 22:13:20 UTC is the same day or the next one in every zone.
        #expect(words[1] == "2023-11-14" || words[1] == "2023-11-15")
        #expect(text.contains(TimeText.clock(1_700_000_000_000_000)))
    }
}
