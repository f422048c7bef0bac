import RetryModel
import Testing

@testable import RetryDaemon

/// So many entries at once, then so many a second, and the others are counted.
@Suite
struct EntryBudgetTests {
    private func taken(_ budget: inout EntryBudget, _ count: Int, atMs: Int64) -> Int {
        (0..<count).filter { _ in budget.take(at: Instant(usec: atMs * 1_000)) }.count
    }

    @Test
    func aBurstThenARate() {
        var budget = EntryBudget(burst: 10, perSecond: 2)
        #expect(taken(&budget, 30, atMs: 5_000) == 10)
        #expect(taken(&budget, 5, atMs: 5_499) == 0)
        #expect(taken(&budget, 5, atMs: 5_500) == 1)
        #expect(taken(&budget, 5, atMs: 7_000) == 3)
        #expect(taken(&budget, 30, atMs: 60_000) == 10)
    }

    @Test
    func whatWasNotWrittenIsCountedOnce() {
        var budget = EntryBudget(burst: 10, perSecond: 2)
        #expect(budget.takeSuppressed() == 0)
        _ = taken(&budget, 17, atMs: 0)
        #expect(budget.takeSuppressed() == 7)
        #expect(budget.takeSuppressed() == 0)
    }

    @Test
    func partsOfAnIntervalAddUp() {
        var budget = EntryBudget(burst: 100, perSecond: 10)
        _ = taken(&budget, 200, atMs: 1_000)
        // One every 150 ms: ten a second must not become one every 150 ms.
        var count = 0
        for step in 1...20 { count += taken(&budget, 10, atMs: 1_000 + Int64(step) * 150) }
        #expect(count == 30)
    }
}
