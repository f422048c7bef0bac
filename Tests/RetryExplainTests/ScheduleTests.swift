import RetryExplain
import RetryModel
import Testing

@Suite
struct ScheduleTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func seconds(_ span: ClosedRange<WallTime>) -> [Int64] {
        [span.lowerBound, span.upperBound].map { ($0 - Bench.noon).usec / 1_000_000 }
    }

    private func schedule(
        _ json: String, _ change: (inout Circumstances) -> Void = { _ in }
    ) throws -> Schedule {
        try #require(try bench.explain(json, change).schedule)
    }

    @Test
    func delaysAddUpUntilTheAttemptsAreSpent() throws {
        let schedule = try schedule(#"{"http":{"status":429}}"#)
        #expect(schedule.steps.map(\.attempt) == [2, 3, 4])
        #expect(schedule.steps.map { seconds($0.due) } == [[2, 2], [6, 6], [14, 14]])
        #expect(schedule.end == .attempts)
    }

    @Test
    func theFirstDelayRespectsTheServersWait() throws {
        let json = #"{"http":{"status":429,"headers":{"Retry-After":"120"}}}"#
        let schedule = try schedule(json)
        // What is added to a wait is at most a tenth of it.
        #expect(schedule.steps.map { seconds($0.due) } == [[120, 132], [124, 136], [132, 144]])
    }

    /// Received a minute ago, half of it is left.
    @Test
    func waitsCountFromTheReceipt() throws {
        let json =
            #"{"received_at":"2026-03-01T11:59:00Z","http":{"status":429,"#
            + #""headers":{"Retry-After":"120"}}}"#
        #expect(try seconds(schedule(json).steps[0].due) == [60, 66])
    }

    @Test
    func itGoesOnFromTheAttemptThatFailed() throws {
        let schedule = try schedule(#"{"http":{"status":429}}"#) { $0.attempt = 3 }
        #expect(schedule.steps.map(\.attempt) == [4])
        #expect(schedule.steps.map { seconds($0.due) } == [[8, 8]])
    }

    @Test
    func aRulesLimitEndsIt() throws {
        let schedule = try schedule(#"{"http":{"status":500}}"#)
        #expect(schedule.steps.map { seconds($0.due) } == [[1, 10]])
        #expect(schedule.end == .limit)
    }

    @Test
    func ageEndsItAndAListIsCut() throws {
        var old = Bench.exact
        old.ageMax = .seconds(5)
        let aged = try Bench(policies: [old]).explain(#"{"http":{"status":429}}"#)
        #expect(aged.schedule?.steps.map(\.attempt) == [2, 3])
        #expect(aged.schedule?.end == .age)
        var long = Bench.exact
        long.attemptsMax = 1_000
        long.ageMax = .days(10_000)
        let cut = try Bench(policies: [long]).explain(#"{"http":{"status":429}}"#)
        #expect(cut.schedule?.steps.count == 64)
        #expect(cut.schedule?.end == .cut)
    }

    @Test
    func whatIsNotRetriedHasNone() throws {
        for json in [#"{"http":{"status":410}}"#, #"{"http":{"status":401}}"#, "{}"] {
            #expect(try bench.explain(json).schedule == nil, "\(json)")
        }
    }
}
