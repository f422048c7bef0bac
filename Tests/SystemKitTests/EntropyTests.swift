import Testing

@testable import SystemKit

struct EntropyTests {
    @Test func seedsDiffer() {
        let seeds = Set((0..<64).map { _ in Entropy.seed() })
        #expect(seeds.count == 64)
        // Every bit is set in some seed and clear in some other.
        #expect(seeds.reduce(0, |) == .max)
        #expect(seeds.reduce(.max, &) == 0)
    }
}
