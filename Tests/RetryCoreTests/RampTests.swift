import RetryModel
import Testing

@testable import RetryCore

@Suite
struct RampTests {
    private var ramp = Ramp()

    private func at(_ ms: Int64) -> Instant { Instant(usec: 1_000_000_000 + ms * 1_000) }

    /// How many may go at a moment.
    private mutating func takeAll(at ms: Int64) -> Int {
        var count = 0
        while count < 100_000, ramp.take(at: at(ms)) { count += 1 }
        return count
    }

    private mutating func expect(
        _ count: Int, at ms: Int64, _ location: SourceLocation = #_sourceLocation
    ) {
        let taken = takeAll(at: ms)
        #expect(taken == count, sourceLocation: location)
    }

    @Test
    mutating func growsByAQuarterInEachFurtherWindow() {
        let counts = (0..<8 as Range<Int64>).map { takeAll(at: $0 * 100) }
        #expect(counts == [100, 125, 156, 195, 243, 303, 378, 472])
    }

    @Test
    mutating func aWindowIsAHundredMilliseconds() {
        expect(100, at: 0)
        expect(0, at: 99)
        #expect(ramp.next == at(100))
        expect(125, at: 100)
    }

    @Test
    mutating func beginsAnewAfterAWindowThatWasEnough() {
        expect(100, at: 0)
        let isTaken = ramp.take(at: at(100))
        #expect(isTaken)
        expect(100, at: 200)
        // And after a long time.
        expect(100, at: 900)
    }

    @Test
    mutating func settingsHold() {
        ramp.settings.first = 3
        ramp.settings.growthMilli = 1_000
        expect(3, at: 0)
        // It always grows by one at least, or a herd might take for ever.
        expect(4, at: 100)
    }

    @Test
    mutating func aHerdIsToldWhenItEnds() {
        var report = ramp.ended(at: at(0))
        #expect(report == nil)
        ramp.heldBack(.signal, at: at(0))
        ramp.heldBack(.retry, at: at(10))
        _ = takeAll(at: 10)
        _ = takeAll(at: 110)
        report = ramp.ended(at: at(150))
        #expect(
            report
                == ReleaseReport(
                    trigger: .signal, count: 225, over: .milliseconds(150), peak: 125))
        report = ramp.ended(at: at(150))
        #expect(report == nil)
    }

    @Test
    mutating func theLastHerdIsRemembered() {
        #expect(ramp.last == nil)
        ramp.heldBack(.resume, at: at(0))
        _ = takeAll(at: 0)
        #expect(ramp.ended(at: at(20)) == ramp.last?.report)
        #expect(ramp.last?.endedAt == at(20))
        // One of which nothing went is none.
        ramp.heldBack(.signal, at: at(30))
        #expect(ramp.ended(at: at(40)) == nil)
        #expect(ramp.last?.report.trigger == .resume)
        // The line was moved, and how long ago it was is the same.
        ramp.move(by: .hours(1))
        #expect(ramp.last?.endedAt == at(20) + .hours(1))
    }
}
