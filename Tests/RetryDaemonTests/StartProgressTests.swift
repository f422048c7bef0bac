import Testing

@testable import RetryDaemon

@Suite
struct StartProgressTests {
    @Test
    func aShortStartSaysNothingMore() {
        let progress = StartProgress(reading: "/s", startUsec: 5_000_000)
        #expect(progress.beginning == "Reading /s")
        #expect(progress.sentence(read: 256, atUsec: 5_000_000) == nil)
        #expect(progress.sentence(read: 90_000, atUsec: 5_999_999) == nil)
    }

    @Test
    func aLongOneIsToldOnceASecond() {
        let progress = StartProgress(reading: "/s", startUsec: 0)
        var told: [String] = []
        for step in 1...40 {
            if let sentence = progress.sentence(read: step * 1_000, atUsec: Int64(step) * 99_999) {
                told.append(sentence)
            }
        }
        #expect(
            told == [
                "Reading /s: 11,000 operations so far", "Reading /s: 22,000 operations so far",
                "Reading /s: 33,000 operations so far",
            ])
    }
}
