import RetryModel
import Testing

@testable import RetryCore

@Suite
struct OwnerCountsTests {
    @Test
    func countsByOwnerAndInAll() {
        var owners = OwnerCounts()
        let first = owners.number(of: 1_000)
        let second = owners.number(of: 2_000)
        #expect(owners.number(of: 1_000) == first)
        owners[first][.ready] += 2
        owners[second][.ready] += 1
        owners[second][.dead] += 1
        #expect(owners.counts(of: 1_000)[.ready] == 2)
        #expect(owners.counts(of: 2_000)[.dead] == 1)
        #expect(owners.counts(of: 3_000).live == 0)
        #expect(owners.total(.ready) == 3)
    }
}
