import RetryCore
import Testing

@Suite
struct SplitMix64Tests {
    /// The values of the published reference program (prng.di.unimi.it, splitmix64.c).
    @Test
    func drawsTheReferenceValues() {
        var random = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test
    func everySeedIsGood() {
        var random = SplitMix64(seed: 0)
        #expect(random.next() == 0xe220_a839_7b1d_cdaf)
        #expect(random.next() == 0x6e78_9e6a_a1b9_65f4)
        #expect(random.next() == 0x06c4_5d18_8009_454f)
    }

    @Test
    func numbersAreExactUnderASeed() {
        var random = SplitMix64(seed: 42)
        let drawn = (0..<8).map { _ in random.number(through: 999) }
        #expect(drawn == [741, 159, 278, 344, 38, 868, 218, 800])
    }

    @Test
    func numbersOfTheWholeRangeDoNotTrap() {
        var random = SplitMix64(seed: 42)
        #expect(random.number(through: .max) == 6_839_728_766_377_637_706)
        #expect(random.number(through: .max) == 1_474_913_046_063_446_145)
    }

    @Test(arguments: [0, -1, Int64.min])
    func nothingToChooseFromDrawsNothing(last: Int64) {
        var random = SplitMix64(seed: 7)
        #expect(random.number(through: last) == 0)
        // The state has not moved.
        var fresh = SplitMix64(seed: 7)
        #expect(random.next() == fresh.next())
    }

    @Test
    func bothEndsAreDrawn() {
        var random = SplitMix64(seed: 3)
        let drawn = Set((0..<200).map { _ in random.number(through: 3) })
        #expect(drawn == [0, 1, 2, 3])
    }
}
