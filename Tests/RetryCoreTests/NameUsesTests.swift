import RetryModel
import Testing

@testable import RetryCore

@Suite
struct NameUsesTests {
    private var uses = NameUses()

    /// A new name that is used and given up at once.
    private mutating func passingName() -> UInt32 {
        let number = uses.take()
        uses.retain(number)
        uses.release(number)
        return number
    }

    @Test
    mutating func theLongestIdleGoesFirstAndItsNumberComesAgain() {
        for _ in 0..<3 { _ = passingName() }
        var removed = uses.removeIdle(beyond: 2)
        #expect(removed == 0)
        removed = uses.removeIdle(beyond: 2)
        #expect(removed == nil)
        let number = uses.take()
        #expect(number == 0)
        uses.checkInvariants(inUse: 3)
    }

    @Test
    mutating func whatIsUsedAgainStays() {
        for _ in 0..<3 { _ = passingName() }
        uses.retain(0)
        let removed = uses.removeIdle(beyond: 1)
        #expect(removed == 1)
        #expect(uses.count(0) == 1)
        uses.checkInvariants(inUse: 2)
    }

    @Test
    mutating func numbersOfAStoreHaveGaps() {
        uses.next(is: 3)
        let restored = uses.take()
        #expect(restored == 3)
        uses.noteIdle()
        let fresh = uses.take()
        #expect(fresh < 3)
        uses.checkInvariants(inUse: 2)
    }

    @Test
    mutating func manyComeAndGoInBoundedMemory() {
        for _ in 0..<10_000 {
            _ = passingName()
            while uses.removeIdle(beyond: 8) != nil {}
        }
        let next = uses.take()
        #expect(next <= 9)
    }
}
