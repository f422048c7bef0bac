import Testing

@testable import RetryCore

@Suite
struct SlotHashIndexTests {
    /// The hash of each slot, as the owner of an index keeps it.
    private var hashes: [UInt64] = []
    private var index = SlotHashIndex()

    private mutating func insert(_ hash: UInt64) {
        hashes.append(hash)
        let hashes = hashes
        index.insert(SlotNumber(hashes.count - 1), hash: hash) { hashes[Int($0)] }
    }

    private mutating func remove(_ slot: SlotNumber) {
        let hashes = hashes
        index.remove(slot, hash: hashes[Int(slot)]) { hashes[Int($0)] }
    }

    private func found(_ hash: UInt64) -> [SlotNumber] {
        index.all(hash: hash) { hashes[Int($0)] == hash }.sorted()
    }

    @Test
    func anEmptyIndexFindsNothing() {
        #expect(index.first(hash: 7) { _ in true } == nil)
        #expect(found(7) == [])
    }

    @Test
    mutating func findsWhatWasInserted() {
        for hash in 0..<1_000 as Range<UInt64> { insert(hash) }
        #expect(index.count == 1_000)
        for hash in 0..<1_000 as Range<UInt64> { #expect(found(hash) == [SlotNumber(hash)]) }
        #expect(found(1_000) == [])
    }

    @Test
    mutating func slotsOfOneHashLieSideBySide() {
        for _ in 0..<5 { insert(99) }
        insert(98)
        #expect(found(99) == [0, 1, 2, 3, 4])
        #expect(index.first(hash: 99) { $0 == 3 } == 3)
        remove(2)
        #expect(found(99) == [0, 1, 3, 4])
        #expect(found(98) == [5])
    }

    /// Sixteen places at first, twelve used at the most: hashes whose home is the last place run
    /// over the end to the first ones.
    private static func hashes(ofHome home: UInt64) -> [UInt64] {
        (0..<1_000 as Range<UInt64>).filter { hash in
            let group = ((hash >> 3) &* 0x9e37_79b9_7f4a_7c15) >> 32
            return (group << 3 | hash & 7) & 15 == home
        }
    }

    @Test
    mutating func probesRunOverTheEnd() {
        let hashes = Self.hashes(ofHome: 15).prefix(6)
        for hash in hashes { insert(hash) }
        for (slot, hash) in hashes.enumerated() { #expect(found(hash) == [SlotNumber(slot)]) }
    }

    /// Every order of removal from a run over the end leaves the others to be found.
    @Test
    func removalClosesGapsOverTheEnd() {
        for removed in 0..<5 {
            for next in 0..<5 where next != removed {
                var test = SlotHashIndexTests()
                for hash in Self.hashes(ofHome: 15).prefix(4) { test.insert(hash) }
                // Its home is the first place, and it is pushed behind the run.
                test.insert(Self.hashes(ofHome: 0)[0])
                test.remove(SlotNumber(removed))
                test.remove(SlotNumber(next))
                for slot in 0..<5 where slot != removed && slot != next {
                    let hash = test.hashes[slot]
                    #expect(test.found(hash).contains(SlotNumber(slot)))
                }
                #expect(test.index.count == 3)
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    mutating func agreesWithADictionaryOverManySteps(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        hashes = (0..<500).map { _ in UInt64(random.number(through: 60)) }
        let hashes = hashes
        var inside: Set<SlotNumber> = []
        for step in 0..<20_000 {
            let slot = SlotNumber(random.number(through: 499))
            let hash = hashes[Int(slot)]
            if inside.contains(slot) {
                inside.remove(slot)
                index.remove(slot, hash: hash) { hashes[Int($0)] }
            } else {
                inside.insert(slot)
                index.insert(slot, hash: hash) { hashes[Int($0)] }
            }
            guard step % 16 == 0 else { continue }
            let expected = inside.filter { hashes[Int($0)] == hash }.sorted()
            #expect(found(hash) == expected)
        }
        #expect(index.count == inside.count)
    }

    @Test
    func refusesToRemoveWhatIsNotInside() async {
        await #expect(processExitsWith: .failure) {
            var index = SlotHashIndex()
            index.remove(3, hash: 3) { UInt64($0) }
        }
    }
}
